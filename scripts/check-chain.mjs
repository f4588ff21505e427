// Runs the chain example, as a newcomer would, and compares what each of its servers counted: with one layer that owns the
// retries the last one gets 4 calls of one request, and 64 where every layer retries for itself. Exit code 1 otherwise.
//   node scripts/check-chain.mjs
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

const EXPECTED = {
  owned: { gateway: 1, orders: 1, inventory: 1, database: 4 },
  unowned: { gateway: 1, orders: 4, inventory: 16, database: 64 },
};
// builds first, if need be
const LONGEST_MS = 600_000;

const cwd = join(dirname(fileURLToPath(import.meta.url)), '..');
const { status, signal, stdout, stderr } = spawnSync(
  'npm',
  ['run', '-s', 'example:chain', '--', '--exit', '--json'],
  { cwd, encoding: 'utf8', timeout: LONGEST_MS },
);

function countsOf(output) {
  try {
    return JSON.parse(output.trim().split('\n').at(-1));
  } catch {
    return undefined;
  }
}

const counts = countsOf(stdout);
const isRight = status === 0 && isDeepStrictEqual(counts, EXPECTED);
if (isRight) console.log(`chain: ${JSON.stringify(counts)}`);
else {
  console.log(`chain: expected ${JSON.stringify(EXPECTED)}`);
  console.log(`       got ${JSON.stringify(counts)}, exit code ${status ?? signal}`);
  console.log(stdout, stderr);
  process.exitCode = 1;
}
