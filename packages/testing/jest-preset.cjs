// Found by Jest as `preset: '@spillway/testing'`, and by `preset: '@spillway/testing/jest-preset'`.
const { transform, transformIgnorePatterns } = require('./dist/jest/preset.js').jestPreset();

module.exports = { transform, transformIgnorePatterns };
