module.exports = { preset: '@spillway/testing', testEnvironment: 'node' };
