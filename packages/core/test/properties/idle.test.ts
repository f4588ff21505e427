import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FailureRun } from '../../src/algorithms/failure-run.js';
import { SlidingCount } from '../../src/algorithms/sliding-count.js';
import { timeWindow } from '../../src/algorithms/windows.js';
import { RUNS } from '../runs.js';
import { machineOptions, Recorded, steps } from './breaker.js';

const gaps = fc.array(fc.oneof(fc.nat(3), fc.nat(40), fc.constantFrom(0, 10, 100)), { maxLength: 120 });
const windowMs = fc.constantFrom(10, 97, 100);

/** Instants after `gaps`, each with those before it. */
function* instants(waits: readonly number[]): Generator<readonly number[]> {
  const all: number[] = [];
  let now = 0;
  for (const wait of waits) {
    now += wait;
    all.push(now);
    yield all;
  }
}

function inside(all: readonly number[], now: number, ms: number): number {
  return all.filter((at) => at > now - ms).length;
}

describe('after any idle time', () => {
  test('a window of time holds nothing older than itself, and nothing at all after its own length', () => {
    fc.assert(
      fc.property(windowMs, gaps, (ms, waits) => {
        const window = timeWindow(ms);
        let now = 0;
        for (const all of instants(waits)) {
          now = all.at(-1) as number;
          const { calls } = window.record(now, true, false, 1);
          if (calls > inside(all, now, ms)) expect(calls).toBe(inside(all, now, ms));
          if (calls < inside(all, now, ms - ms / 10)) expect(calls).toBe(inside(all, now, ms - ms / 10));
        }
        expect(window.tally(now + ms).calls).toBe(0);
      }),
      RUNS,
    );
  });

  test('a count rounded down holds nothing older than its window, one rounded up nothing younger less', () => {
    fc.assert(
      fc.property(windowMs, gaps, (ms, waits) => {
        const [down, up] = [new SlidingCount(ms, 'down'), new SlidingCount(ms, 'up')];
        let now = 0;
        for (const all of instants(waits)) {
          now = all.at(-1) as number;
          down.add(now);
          up.add(now);
          const exact = inside(all, now, ms);
          if (down.count(now) > exact || up.count(now) < exact)
            expect([down.count(now), exact, up.count(now)]).toEqual([exact, exact, exact]);
        }
        expect([down.count(now + ms), up.count(now + ms)]).toEqual([0, 0]);
      }),
      RUNS,
    );
  });

  test('a run of failures counts only while all of them are younger than the window', () => {
    fc.assert(
      fc.property(windowMs, fc.integer({ min: 1, max: 5 }), gaps, (ms, length, waits) => {
        const run = new FailureRun(length, ms);
        for (const all of instants(waits)) {
          const now = all.at(-1) as number;
          const wanted = all.length >= length && (all.at(-length) as number) > now - ms;
          if (run.fail(now) !== wanted) expect(`${all}`).toBe(`${wanted} at ${length} of ${ms}`);
        }
        expect(run.fail(1e9)).toBe(length === 1);
      }),
      RUNS,
    );
  });

  test('a closed breaker goes on as one whose windows were emptied', () => {
    const counts = { runs: 0, trips: 0 };
    fc.assert(
      fc.property(machineOptions, steps, fc.integer(), fc.nat(500), (any, taken, seed, more) => {
        const window = 'ms' in any.window ? any.window : { ms: 300 };
        const options = { ...any, window };
        const [idle, emptied] = [new Recorded(options, seed), new Recorded(options, seed)];
        let now = 0;
        const feed = (only?: 'again') => {
          for (const { afterMs, result, durationMs } of taken) {
            now += only === 'again' ? afterMs % 20 : afterMs;
            for (const { machine } of [idle, emptied]) {
              machine.record(machine.admit(now), result, durationMs, now);
              machine.recordOperation(machine.admitOperation(now), result, durationMs, now);
            }
            const [seen, wanted] = [idle, emptied].map(({ machine }) => machine.state(now));
            if (seen !== wanted) expect(`${seen} at ${now}`).toBe(`${wanted} at ${now}`);
            // how long each then is open may differ: forced closing counts as a new start
            if (only === 'again' && seen === 'open') return true;
          }
          return false;
        };
        feed();
        now += window.ms + more;
        if (idle.machine.state(now) !== 'closed') return;
        emptied.machine.forceClose(now);
        expect([idle.machine.tally(now).calls, idle.machine.operationTally(now)?.calls ?? 0]).toEqual([0, 0]);
        counts.runs++;
        if (feed('again')) counts.trips++;
      }),
      RUNS,
    );
    expect(counts.runs).toBeGreaterThan(RUNS.numRuns / 10);
    expect(counts.trips).toBeGreaterThan(counts.runs / 5);
  }, 120_000);
});
