import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  countWindow,
  type OutcomeWindow,
  outcomeWindow,
  type Tally,
  timeWindow,
} from '../../src/algorithms/windows.js';

const NOTHING: Tally = { calls: 0, failures: 0, slow: 0, successes: 0, successMs: 0 };

function fill(window: OutcomeWindow, results: string, now = 0, durationMs = 1): void {
  for (const result of results) window.record(now, result === 'E', false, durationMs);
}

function rate(window: OutcomeWindow, now = 0): number {
  const { calls, failures } = window.tally(now);
  return failures / calls;
}

describe('both kinds', () => {
  test.each([
    ['time', timeWindow(1000)],
    ['count', countWindow(5)],
  ])('a %s window sums durations of successes only, and slow calls of both kinds', (_name, window) => {
    window.record(0, false, false, 10);
    window.record(0, true, true, 500);
    window.record(0, false, true, 40);
    expect(window.tally(0)).toEqual({ calls: 3, failures: 1, slow: 2, successes: 2, successMs: 50 });
    window.clear();
    expect(window.tally(0)).toEqual(NOTHING);
  });

  test('options choose the kind', () => {
    const byTime = outcomeWindow({ ms: 100 });
    const byCount = outcomeWindow({ calls: 2 });
    for (const window of [byTime, byCount]) fill(window, 'SSS', 0);
    expect(byTime.tally(50).calls).toBe(3);
    expect(byTime.tally(100).calls).toBe(0);
    expect(byCount.tally(1e9).calls).toBe(2);
  });
});

describe('a time window', () => {
  test('shows calls until the window has passed, then none', () => {
    const window = timeWindow(5000, 5);
    for (const at of [0, 100, 800]) window.record(at, false, false, 1);
    expect(window.tally(4800).calls).toBe(3);
    expect(window.tally(5800).calls).toBe(0);
  });

  test('forgets everything after a gap of exactly the window, and after any longer one', () => {
    for (const gap of [5000, 300_000]) {
      const window = timeWindow(5000);
      fill(window, 'EEEE', 0);
      fill(window, 'EE', gap);
      expect(window.tally(gap)).toMatchObject({ calls: 2, failures: 2 });
    }
  });

  test('holds what is a hair younger than the window less one bucket', () => {
    const window = timeWindow(5000);
    window.record(450, true, false, 1);
    expect(window.tally(4950 + 499).calls).toBe(1);
    expect(window.tally(5450).calls).toBe(0);
  });

  test.each<[string, readonly number[], number, number]>([
    ['hold what came within a bucket’s time, which leaves at once', [0, 9], 100, 0],
    ['begin a bucket’s time apart', [0, 10], 109, 1],
    ['go on while others leave', [0, 95, 100], 195, 0],
    ['are used again', [0, 50, 100, 150, 200, 250, 300, 350, 400, 450, 500, 550, 600], 649, 2],
  ])('its buckets %s', (_, instants, now, calls) => {
    const window = timeWindow(100, 10);
    for (const at of instants) window.record(at, false, false, 1);
    expect(window.tally(now).calls).toBe(calls);
  });

  test('of a single bucket sees each stretch by itself', () => {
    const window = timeWindow(1000, 1);
    const seen = [0, 1000, 2000, 10_000].map((at) => {
      window.record(at, false, false, 1);
      return window.tally(at).calls;
    });
    expect(seen).toEqual([1, 1, 1, 1]);
  });

  test('counts every call, however many there are', () => {
    const window = timeWindow(10_000);
    for (let i = 0; i < 5000; i++) window.record(i * 2 - (i % 2), i < 4000 && i % 8 < 5, false, 1);
    expect(window.tally(9999)).toMatchObject({ calls: 5000, failures: 2500 });
  });

  test('comes back to exact zeros after fractions of milliseconds', () => {
    const window = timeWindow(10, 10);
    for (let i = 0; i < 1000; i++) window.record(i, false, false, 0.1 + i / 7);
    window.record(1009.5, true, false, 3);
    expect(window.tally(1009.5)).toEqual({ calls: 1, failures: 1, slow: 0, successes: 0, successMs: 0 });
    expect(window.tally(2000)).toEqual(NOTHING);
  });

  test('an endless window never forgets', () => {
    const window = timeWindow(Number.POSITIVE_INFINITY);
    fill(window, 'ES', 0);
    expect(window.tally(1e15)).toMatchObject({ calls: 2, failures: 1 });
  });

  test('reading far ahead changes nothing for whoever reads earlier', () => {
    const window = timeWindow(1000);
    fill(window, 'ESE', 0);
    expect(window.tally(1e9).calls).toBe(0);
    expect(window.tally(10)).toMatchObject({ calls: 3, failures: 2 });
  });

  interface Step {
    readonly afterMs: number;
    readonly failed: boolean;
    readonly slow: boolean;
    readonly durationMs: number;
    readonly peekMs: number;
  }

  test('agrees with a list: a suffix of it, none too old, all that are young enough', () => {
    const step: fc.Arbitrary<Step> = fc.record({
      afterMs: fc.oneof(fc.nat(3), fc.nat(40), fc.nat(400), fc.constantFrom(100, 0)),
      failed: fc.boolean(),
      slow: fc.boolean(),
      durationMs: fc.nat(50),
      peekMs: fc.nat(500),
    });
    const shape = fc.record({
      windowMs: fc.constantFrom(100, 97, 30),
      buckets: fc.integer({ min: 1, max: 12 }),
    });
    fc.assert(
      fc.property(shape, fc.array(step, { maxLength: 80 }), ({ windowMs, buckets }, steps) => {
        const window = timeWindow(windowMs, buckets);
        const all: (Step & { at: number })[] = [];
        let now = 0;
        for (const next of steps) {
          now += next.afterMs;
          window.record(now, next.failed, next.slow, next.durationMs);
          all.push({ ...next, at: now });
          for (const at of [now, now + next.peekMs, now]) check(window.tally(at), all, at, windowMs, buckets);
        }
      }),
    );

    function check(
      tally: Tally,
      all: (Step & { at: number })[],
      now: number,
      windowMs: number,
      buckets: number,
    ) {
      const held = all.slice(all.length - tally.calls);
      const young = all.filter(({ at }) => at > now - windowMs + windowMs / buckets);
      expect(held.every(({ at }) => at > now - windowMs)).toBe(true);
      expect(held.length).toBeGreaterThanOrEqual(young.length);
      const good = held.filter(({ failed }) => !failed);
      expect(tally).toEqual({
        calls: held.length,
        failures: held.length - good.length,
        slow: held.filter(({ slow }) => slow).length,
        successes: good.length,
        successMs: good.reduce((sum, { durationMs }) => sum + durationMs, 0),
      });
    }
  });
});

describe('a count window', () => {
  test('holds the last results: failure rates of growing sequences', () => {
    const five = countWindow(5);
    fill(five, 'EEESS');
    expect(rate(five)).toBeCloseTo(0.6);
    fill(five, 'S');
    expect(rate(five)).toBeCloseTo(0.4);
    fill(five, 'S');
    expect(rate(five)).toBeCloseTo(0.2);
  });

  test('six failures in the last ten are 60 %, and 30 % after three more successes', () => {
    const window = countWindow(10);
    fill(window, 'EE');
    fill(window, 'EEEESESESS');
    expect(window.tally(0)).toMatchObject({ calls: 10, failures: 6 });
    fill(window, 'SSS');
    expect(window.tally(0)).toMatchObject({ calls: 10, failures: 3 });
  });

  test('means and slow shares come from what it holds', () => {
    const window = countWindow(5);
    for (const ms of [1, 10_000, 10_000, 100, 100, 100]) window.record(0, false, ms > 1000, ms);
    const { slow, calls, successMs, successes } = window.tally(0);
    expect(slow / calls).toBeCloseTo(0.4);
    expect(successMs / successes).toBe(4060);
  });

  test('comes back to exact zeros after fractions of milliseconds', () => {
    const window = countWindow(2);
    for (const ms of [0.1, 0.7, 0.2]) window.record(0, false, false, ms);
    fill(window, 'EE');
    expect(window.tally(0)).toEqual({ calls: 2, failures: 2, slow: 0, successes: 0, successMs: 0 });
  });

  test('starts over after clear', () => {
    const window = countWindow(3);
    fill(window, 'EEEE');
    window.clear();
    fill(window, 'SE');
    expect(window.tally(0)).toMatchObject({ calls: 2, failures: 1 });
  });

  test('agrees with the end of a list', () => {
    const result = fc.record({ failed: fc.boolean(), slow: fc.boolean(), ms: fc.nat(100) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.array(result, { maxLength: 60 }), (size, results) => {
        const window = countWindow(size);
        results.forEach(({ failed, slow, ms }, i) => {
          window.record(i, failed, slow, ms);
          const held = results.slice(Math.max(0, i + 1 - size), i + 1);
          const good = held.filter((other) => !other.failed);
          expect(window.tally(i)).toEqual({
            calls: held.length,
            failures: held.length - good.length,
            slow: held.filter((other) => other.slow).length,
            successes: good.length,
            successMs: good.reduce((sum, other) => sum + other.ms, 0),
          });
        });
      }),
    );
  });
});

describe('cost', () => {
  test('recording costs the same with a thousand and with a hundred thousand calls in the window', () => {
    const cost = (calls: number) => {
      const window = timeWindow(1e9);
      for (let i = 0; i < calls; i++) window.record(i, i % 2 === 0, false, 1);
      let best = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 20; round++) {
        const startedAt = performance.now();
        for (let i = 0; i < 1000; i++) window.record(calls + i, true, false, 1);
        best = Math.min(best, performance.now() - startedAt);
      }
      return best;
    };
    cost(1000);
    const few = cost(1000);
    expect(cost(100_000)).toBeLessThan(few * 10 + 0.5);
  });

  test('the memory of a time window does not grow with the traffic', () => {
    const window = timeWindow(100, 10);
    const record = (from: number) => {
      for (let now = from; now < from + 4_000_000; now += 10) window.record(now, false, false, 1);
    };
    record(0);
    const before = process.memoryUsage().heapUsed;
    record(4_000_000);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
  });
});
