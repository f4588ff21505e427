import { describe, expect, test } from '@jest/globals';
import type { Limit } from '../../../src/algorithms/limits/limit.js';
import { WindowedLimit } from '../../../src/algorithms/limits/windowed.js';

class Recorder implements Limit {
  readonly limit = 5;
  readonly samples: unknown[] = [];

  onSample(now: number, rttMs: number, inFlight: number, dropped: boolean): void {
    this.samples.push({ now, rttMs, inFlight, dropped });
  }
}

describe('a windowed limit', () => {
  test('hands on one sample per window: mean time, most in flight, any drop', () => {
    const inner = new Recorder();
    const limit = new WindowedLimit(inner);
    for (let i = 0; i <= 10; i++) limit.onSample(i * 100, 10 + i, i % 4, i === 3);
    expect(inner.samples).toEqual([]);
    limit.onSample(1001, 21, 2, false);
    expect(inner.samples).toEqual([{ now: 1001, rttMs: 15.5, inFlight: 3, dropped: true }]);
    for (let i = 0; i < 12; i++) limit.onSample(1100 + i * 100, 10, 1, false);
    expect(inner.samples.slice(1)).toEqual([{ now: 2100, rttMs: 10, inFlight: 1, dropped: false }]);
    expect(limit.limit).toBe(5);
  });

  test('a window with too few samples teaches nothing', () => {
    const inner = new Recorder();
    const limit = new WindowedLimit(inner);
    for (let i = 0; i < 20; i++) limit.onSample(i * 300, 10, 1, false);
    expect(inner.samples).toEqual([]);
  });

  test('samples too fast to be work are left out', () => {
    const inner = new Recorder();
    const limit = new WindowedLimit(inner);
    for (let i = 0; i < 500; i++) limit.onSample(i * 10, 0.05, 1, true);
    expect(inner.samples).toEqual([]);
  });

  test('a sample of the shortest time of work counts, and a first window without drops has none', () => {
    const inner = new Recorder();
    const limit = new WindowedLimit(inner, { minRttMs: 0.5, minSamples: 2 });
    limit.onSample(0, 0.5, 1, false);
    limit.onSample(1001, 0.5, 1, false);
    expect(inner.samples).toEqual([{ now: 1001, rttMs: 0.5, inFlight: 1, dropped: false }]);
  });

  test('a window lasts twice the shortest time, within its bounds', () => {
    const inner = new Recorder();
    const limit = new WindowedLimit(inner, { minWindowMs: 10, maxWindowMs: 500, minSamples: 1 });
    limit.onSample(0, 50, 1, false);
    limit.onSample(100, 50, 1, false);
    expect(inner.samples.length).toBe(0);
    limit.onSample(101, 400, 1, false);
    expect(inner.samples.length).toBe(1);
    limit.onSample(201, 400, 1, false);
    expect(inner.samples.length).toBe(1);
    limit.onSample(202, 400, 1, false);
    limit.onSample(702, 400, 1, false);
    expect(inner.samples.length).toBe(2);
    limit.onSample(703, 1, 1, false);
    expect(inner.samples.length).toBe(3);
    limit.onSample(714, 1, 1, false);
    expect(inner.samples.length).toBe(4);
  });
});
