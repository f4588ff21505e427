// Found by Jest as `preset: '@spillway/testing'`, and by `preset: '@spillway/testing/jest-preset'`.
module.exports = require('./dist/jest/preset.js').jestPreset();
