/**
 * How properties are run. `RUNS`: how often, fewer where every fault and mutant is tried on them. `SEED` runs a
 * failure again. `QUICK`: do not make its counterexample smaller.
 */
export const RUNS: { readonly numRuns: number; readonly endOnFailure: boolean; readonly seed?: number } = {
  numRuns: Number(process.env['RUNS'] ?? (process.env['NIGHTLY'] ? 20_000 : 2000)),
  endOnFailure: process.env['QUICK'] !== undefined,
  ...(process.env['SEED'] && { seed: Number(process.env['SEED']) }),
};
