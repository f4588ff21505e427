import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** The same scripts each time, fewer than the ordinary run's, and no smaller counterexamples: a failure will do. */
const QUICKLY = { SEED: '20260101', RUNS: '400', QUICK: '1' };
const LONGEST_MS = 240_000;

/**
 * Runs test files of a copy.
 * @returns the titles of the tests that failed; `broken`: why none of them could run
 */
export async function runTests(folder, files) {
  const output = join(folder, 'results.json');
  rmSync(output, { force: true });
  const said = await jest(folder, [
    '--maxWorkers=1',
    '--json',
    `--outputFile=${output}`,
    ...files.map(exactly),
  ]);
  let results;
  try {
    results = JSON.parse(readFileSync(output, 'utf8'));
  } catch {
    return { failed: [], broken: `the tests did not end: ${said.slice(-2000)}` };
  }
  const failed = results.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
  if (failed.length > 0 || results.success) return { failed };
  return { failed, broken: `the tests could not run: ${said.slice(-2000)}` };
}

function exactly(file) {
  return `${file.replaceAll('.', '\\.')}$`;
}

function jest(folder, args) {
  const cache = `--cacheDirectory=${join(folder, '.cache')}`;
  const start = [
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    'node_modules/jest/bin/jest.js',
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...start, cache, ...args], {
      cwd: folder,
      env: { ...process.env, ...QUICKLY, CI: 'true', NIGHTLY: '' },
      timeout: LONGEST_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
      });
    child.on('error', reject);
    child.on('close', () => resolve(said));
  });
}
