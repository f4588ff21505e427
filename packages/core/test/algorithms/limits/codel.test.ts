import { describe, expect, test } from '@jest/globals';
import { Codel } from '../../../src/algorithms/limits/codel.js';
import { concurrencyOf } from '../../../src/algorithms/limits/little.js';

describe('controlled delay', () => {
  test('drops what waited twice the target while no wait of the last interval was good', () => {
    const codel = new Codel({ targetMs: 5, intervalMs: 100 }, 0);
    const arrivals = [
      [0, 10, true, false],
      [50, 20, true, true],
      [60, 12, false, true],
      [70, 8, true, true],
      [80, 3, true, true],
      [160, 30, true, false],
      [170, 30, true, false],
      [271, 30, true, true],
      [272, 11, false, true],
      [273, 10, true, true],
    ] as const;
    for (const [now, waitedMs, accepted, overloaded] of arrivals) {
      expect([now, codel.accepts(now, waitedMs), codel.overloaded]).toEqual([now, accepted, overloaded]);
    }
  });

  test('an interval goes on at the instant of its end, and is over after it', () => {
    const codel = new Codel({ targetMs: 5, intervalMs: 100 }, 0);
    codel.accepts(0, 10);
    codel.accepts(50, 10);
    expect(codel.overloaded).toBe(true);
    codel.accepts(149, 3);
    codel.accepts(150, 3);
    expect(codel.overloaded).toBe(true);
    codel.accepts(151, 3);
    expect(codel.overloaded).toBe(false);
  });

  test('accepts everything while waits are good', () => {
    const codel = new Codel({ targetMs: 5, intervalMs: 100 }, 0);
    for (let now = 0; now < 1000; now += 7) expect(codel.accepts(now, 5)).toBe(true);
    expect(codel.overloaded).toBe(false);
  });
});

test('two hundred a second of 50 ms each are ten at once', () => {
  expect(concurrencyOf(200, 50)).toBe(10);
  expect(concurrencyOf(50, 5000)).toBe(250);
});
