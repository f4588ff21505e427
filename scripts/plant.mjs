// Plants one fault at a time into a copy of the packages, outside the tree, and shows that a test fails for each.
//   node scripts/plant.mjs [part of a fault's name]
// One line per fault, with the test that caught it; exit code 1 when one survives, or can no longer be planted.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Copy } from './plant/copy.mjs';
import { FAULTS } from './plant/faults.mjs';
import { runTests } from './plant/run-tests.mjs';

/** Copies that are worked on side by side. */
const LANES = 2;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const wanted = process.argv[2] ?? '';
const faults = FAULTS.filter(({ name }) => name.includes(wanted));
const startedAt = performance.now();
const survivors = [];
let done = 0;

function say(line) {
  console.log(`[${Math.round((performance.now() - startedAt) / 1000)} s] ${line}`);
}

/** Without a fault the tests pass; else what they say of one would mean nothing. */
async function checkBaseline(copy) {
  const files = [...new Set(faults.flatMap(({ tests }) => tests))];
  const { failed, broken } = await runTests(copy.folder, files);
  if (failed.length === 0 && broken === undefined) return say(`nothing planted: ${files.length} files pass`);
  throw new Error(`Without any fault the tests fail: ${broken ?? failed.join(', ')}`);
}

async function tryFault(copy, { name, file, find, replace, tests }) {
  const restore = copy.plant(file, find, replace);
  const { failed, broken } = await runTests(copy.folder, tests);
  restore();
  done++;
  const at = `${done}/${faults.length}`;
  if (failed.length > 0) return say(`${at} caught: ${name} [${file}] by '${failed[0]}'${others(failed)}`);
  survivors.push(name);
  say(`${at} NOT CAUGHT: ${name} [${file}] ${broken ?? `passes ${tests.join(', ')}`}`);
}

function others(failed) {
  return failed.length > 1 ? ` and ${failed.length - 1} more` : '';
}

const copies = Array.from({ length: Math.min(LANES, faults.length) }, () => new Copy(root));
try {
  for (const { file, find, name } of faults) copies[0].expectOnce(file, find, name);
  await checkBaseline(copies[0]);
  const queue = [...faults];
  const work = async (copy) => {
    for (let fault = queue.shift(); fault !== undefined; fault = queue.shift()) await tryFault(copy, fault);
  };
  await Promise.all(copies.map(work));
} finally {
  for (const copy of copies) copy.remove();
}
say(`${done - survivors.length} faults caught, ${survivors.length} not`);
process.exitCode = done > 0 && survivors.length === 0 ? 0 : 1;
