import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Rounding, SlidingCount } from '../../src/algorithms/sliding-count.js';
import { RUNS } from '../runs.js';

/** A count over 100 ms, in buckets of 10 ms, of what happened at these instants. */
function counted(rounding: Rounding, ...instants: number[]): SlidingCount {
  const count = new SlidingCount(100, rounding);
  for (const at of instants) count.add(at);
  return count;
}

const byValue = (one: number, other: number) => one - other;

describe('the count', () => {
  test.each<[Rounding, string, number[], number, number]>([
    ['down', 'nothing at first', [], 0, 0],
    ['down', 'what happened within the window', [5, 7, 8], 104, 3],
    ['down', 'nothing at its end', [5], 105, 0],
    ['up', 'nothing at its end', [5], 105, 0],
    ['up', 'what happened a moment before', [5], 104, 1],
    ['down', 'none of a bucket that is partly outside', [0, 9], 105, 0],
    ['up', 'all of a bucket that is partly inside', [0, 9], 105, 2],
    ['up', 'none of a bucket once its last has left', [0, 9], 109, 0],
    ['down', 'what began the next bucket apart', [0, 10], 105, 1],
    ['up', 'what began the next bucket apart', [0, 10], 105, 1],
    ['down', 'what came after a long silence alone', [0, 10, 20, 1000], 1000, 1],
    ['down', 'all of a silence just as long as the window', [0, 5, 100], 100, 1],
    ['up', 'all of a bucket whose last is in the window yet', [0, 5, 100], 100, 3],
  ])('rounded %s: %s', (rounding, _, instants, now, wanted) => {
    expect(counted(rounding, ...instants).count(now)).toBe(wanted);
  });

  test('is exact for what comes a bucket apart, for ever', () => {
    for (const rounding of ['down', 'up'] as const) {
      const count = new SlidingCount(100, rounding);
      for (let now = 0; now < 1000; now += 10) {
        count.add(now);
        expect(count.count(now)).toBe(Math.min(10, now / 10 + 1));
      }
    }
  });

  test('does not change with being read far ahead', () => {
    const count = counted('down', 0, 10, 20);
    expect([count.count(1000), count.count(20)]).toEqual([0, 3]);
  });

  test('can be finer or coarser', () => {
    const at = (slots: number) => {
      const count = new SlidingCount(100, 'down', slots);
      for (const now of [0, 20, 40]) count.add(now);
      return count.count(110);
    };
    expect([at(1), at(2), at(5), at(100)]).toEqual([0, 0, 2, 2]);
  });

  test('is off by what happened within a bucket’s time at most', () => {
    const gaps = fc.array(fc.oneof(fc.nat(3), fc.nat(40), fc.constantFrom(0, 10, 100)), { maxLength: 60 });
    fc.assert(
      fc.property(fc.constantFrom(10, 97, 100), gaps, fc.nat(120), (windowMs, waits, later) => {
        const [down, up] = [new SlidingCount(windowMs, 'down'), new SlidingCount(windowMs, 'up')];
        const instants: number[] = [];
        let now = 0;
        for (const wait of waits) {
          now += wait;
          instants.push(now);
          down.add(now);
          up.add(now);
          for (const at of [now, now + later]) {
            const within = (ms: number) => instants.filter((instant) => instant > at - ms).length;
            const [least, exact, most] = [windowMs * 0.9, windowMs, windowMs * 1.1].map(within);
            const told = [least, down.count(at), exact, up.count(at), most] as number[];
            if (told.some((one, i) => one > (told[i + 1] ?? one)))
              expect(told).toEqual(told.toSorted(byValue));
          }
        }
        expect([down.count(now + windowMs), up.count(now + windowMs)]).toEqual([0, 0]);
      }),
      RUNS,
    );
  });
});

describe('taking back', () => {
  test('takes one, where there is one', () => {
    const count = counted('down', 0, 0, 50);
    expect([count.takeBack(0), count.takeBack(0), count.takeBack(0)]).toEqual([true, true, false]);
    expect(count.count(50)).toBe(1);
    expect([count.takeBack(50), count.takeBack(50), count.count(50)]).toEqual([true, false, 0]);
  });

  test('takes it out of its own bucket', () => {
    const first = counted('down', 0, 0, 50);
    first.takeBack(0);
    expect([first.count(60), first.count(105)]).toEqual([2, 1]);
    const last = counted('down', 0, 0, 50);
    last.takeBack(50);
    expect([last.count(60), last.count(105)]).toEqual([2, 0]);
  });

  test.each<[string, number[], number]>([
    ['of nothing', [], 0],
    ['from between two buckets', [0, 50], 30],
    ['from before', [10], 5],
    ['from after', [0, 50], 70],
    ['that has left the window', [0, 200], 0],
  ])('says no %s', (_, instants, at) => {
    const count = counted('up', ...instants);
    const before = count.count(200);
    expect(count.takeBack(at)).toBe(false);
    expect(count.count(200)).toBe(before);
  });

  test('is forgotten in time with the rest', () => {
    const count = counted('up', 0, 0, 0, 50);
    count.takeBack(0);
    count.add(120);
    expect([count.count(120), count.count(160)]).toEqual([2, 1]);
  });
});

test('its memory does not grow with the traffic', () => {
  const count = new SlidingCount(100, 'up');
  const fill = (from: number) => {
    for (let now = from; now < from + 4_000_000; now += 10) count.add(now);
  };
  fill(0);
  const before = process.memoryUsage().heapUsed;
  fill(4_000_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(8_000_000);
});
