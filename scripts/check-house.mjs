// Checks the rules of the house that no other tool knows. One line per finding, exit code 1 when there is any.
//   node scripts/check-house.mjs [--cases] [--self-test]
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkHouse } from './house/check.mjs';
import { selfTest } from './house/self-test.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const flags = new Set(process.argv.slice(2));

if (flags.has('--self-test')) {
  const { caught, missed } = selfTest(root);
  for (const name of missed) console.log(`not caught: ${name}`);
  console.log(`${caught} planted violations caught, ${missed.length} not`);
  process.exitCode = missed.length === 0 ? 0 : 1;
} else {
  const findings = checkHouse(root, { cases: flags.has('--cases') });
  for (const { file, line, rule, message, warning } of findings) {
    console.log(`${file}:${line} ${warning ? 'warning: ' : ''}${message} [${rule}]`);
  }
  const errors = findings.filter(({ warning }) => !warning).length;
  console.log(`house: ${errors} findings, ${findings.length - errors} warnings`);
  process.exitCode = errors === 0 ? 0 : 1;
}
