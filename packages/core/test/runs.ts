/**
 * How properties are run. `RUNS`: how often, fewer where every fault and mutant is tried on them. `SEED` runs a
 * failure again. `QUICK`: do not make its counterexample smaller. The normal run looks at the same cases each time, so
 * that a red one is red for whoever runs it next; the nightly run draws new ones.
 */
export const RUNS: { readonly numRuns: number; readonly endOnFailure: boolean; readonly seed?: number } = {
  numRuns: Number(process.env['RUNS'] ?? (process.env['NIGHTLY'] ? 20_000 : 2000)),
  endOnFailure: process.env['QUICK'] !== undefined,
  ...seeded(),
};

function seeded(): { readonly seed?: number } {
  const { SEED, NIGHTLY } = process.env;
  if (SEED !== undefined && SEED !== '') return { seed: Number(SEED) };
  return NIGHTLY !== undefined && NIGHTLY !== '' ? {} : { seed: 20_261_130 };
}
