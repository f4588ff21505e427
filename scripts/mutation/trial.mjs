// Trials of mutants, one after the other: loads the test files that reach a mutant, runs their tests with it awake and tells
// how each ended. What one test has noticed is done with. Then the same test has to pass with the mutant asleep: else
// something has outlived a trial, and this process is of no more use.
import { collected, runTest } from './harness.mjs';

const state = { currentTestId: undefined };
globalThis.__stryker__ = state;

const testsOf = new Map();

process.on('message', async ({ files, only, mutant, hitLimit, covers }) => {
  Object.assign(state, { activeMutant: mutant, hitCount: 0, hitLimit: hitLimit ?? Number.POSITIVE_INFINITY });
  const wanted = only && new Set(only);
  const seen = [];
  for (const file of files) {
    const those = (await load(file)).filter(({ id }) => wanted === undefined || wanted.has(id));
    seen.push(...(await runAll(those, covers !== true)));
    if (covers !== true && seen.at(-1)?.why !== undefined) break;
  }
  const isEndless = state.hitCount > state.hitLimit;
  process.send({
    tests: seen.map(({ test, ...rest }) => rest),
    isEndless,
    isSound: !isEndless && (await isSound(seen.at(-1))),
    coverage: covers === true ? state.mutantCoverage : undefined,
  });
});

async function load(file) {
  if (!testsOf.has(file)) {
    await import(file);
    testsOf.set(
      file,
      collected().map((test) => ({ id: `${file} ${test.name}`, fileName: file, test })),
    );
  }
  return testsOf.get(file);
}

async function runAll(tests, stopsAtFailure) {
  const done = [];
  for (const { id, fileName, test } of tests) {
    state.currentTestId = id;
    const began = performance.now();
    const why = await runTest(test);
    state.currentTestId = undefined;
    done.push({ id, fileName, test, ms: performance.now() - began, why });
    if (stopsAtFailure && why !== undefined) break;
  }
  return done;
}

async function isSound(last) {
  if (last?.why === undefined) return true;
  state.activeMutant = undefined;
  return (await runTest(last.test)) === undefined;
}
