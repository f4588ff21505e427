import { describe, expect, test } from '@jest/globals';
import { BreakerMachine } from '../../src/algorithms/breaker.js';
import type { ResolvedWindow } from '../../src/config/resolved.js';
import { seededRandom } from '../../src/index.js';

const FEW = 100;
const MANY = 100_000;
const ROUNDS = 201;
const PER_ROUND = 500;
/** Other processes disturb a measurement; none of so many in a row. */
const TRIES = 10;

/** A breaker whose window holds `calls` results, and an instant at which none of them leaves it. */
class Filled {
  readonly #machine: BreakerMachine;
  readonly #stepMs: number;
  #now = 0;

  constructor(window: ResolvedWindow, calls: number) {
    const rules = { window, minCalls: 10 * MANY, failureRate: 0.9, consecutive: undefined, slow: undefined };
    const open = { openForMs: 1000, maxOpenForMs: 1000, jitter: 0, leaseMs: 1000 };
    const rest = { probes: { count: 1, rate: undefined }, operationsWindow: false };
    this.#machine = new BreakerMachine({ ...rules, ...open, ...rest }, seededRandom(1));
    this.#stepMs = 1000 / calls;
    this.record(calls);
    if (this.#machine.tally(this.#now).calls !== calls)
      throw new Error('The window is not as full as it should be');
    this.#stepMs = 0;
  }

  record(times: number): void {
    for (let i = 0; i < times; i++) {
      this.#machine.record(1, i % 2 === 0 ? 'success' : 'failure', 1, this.#now);
      this.#now += this.#stepMs;
    }
  }
}

/** How much longer a result takes where many are there already: medians of rounds taken in turn. */
function slowdown(few: Filled, many: Filled): number {
  const took: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, filled] of [few, many].entries()) {
      const began = performance.now();
      filled.record(PER_ROUND);
      took[index]?.push(performance.now() - began);
    }
  }
  return median(took[1]) / median(took[0]);
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1] as number;
}

describe('recording a result', () => {
  test.each<[string, (calls: number) => ResolvedWindow]>([
    ['time', () => ({ ms: 30_000 })],
    ['calls', (calls) => ({ calls })],
  ])(
    'takes as long with 100,000 in a window of %s as with 100',
    (_, windowOf) => {
      const [few, many] = [new Filled(windowOf(FEW), FEW), new Filled(windowOf(MANY), MANY)];
      slowdown(few, many);
      let best = Number.POSITIVE_INFINITY;
      for (let i = 0; i < TRIES && best > 1.2; i++) best = Math.min(best, slowdown(few, many));
      expect(best).toBeLessThanOrEqual(1.2);
    },
    60_000,
  );
});
