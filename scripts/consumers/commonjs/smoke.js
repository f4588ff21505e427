// Every package loads with require(), without a warning, as the same instance that import() gives.
const assert = require('node:assert/strict');

const warnings = [];
process.on('warning', (warning) => warnings.push(String(warning)));

async function smoke() {
  for (const name of ['core', 'client', 'express', 'testing', 'core/async-local', 'core/cls-hooked']) {
    const required = require(`@spillway/${name}`);
    const imported = await import(`@spillway/${name}`);
    const names = Object.keys(required).filter((key) => key !== 'module.exports');
    assert.ok(names.length > 0, `@spillway/${name} exports nothing`);
    for (const key of names) assert.equal(required[key], imported[key], `@spillway/${name}: two of ${key}`);
  }
  assert.deepEqual(warnings, []);
}

smoke().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
