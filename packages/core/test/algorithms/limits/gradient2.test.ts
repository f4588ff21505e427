import { describe, expect, test } from '@jest/globals';
import { Gradient2Limit, type Gradient2LimitOptions } from '../../../src/algorithms/limits/gradient2.js';
import { MovingAverage } from '../../../src/algorithms/limits/moving-average.js';

function gradient(options: Partial<Gradient2LimitOptions> = {}): Gradient2Limit {
  return new Gradient2Limit({ initial: 20, min: 20, max: 200, smoothing: 0.2, tolerance: 1.5, ...options });
}

/** Knows a usual time of 100 ms; its limit is still the initial one, for nothing was in flight. */
function warm(options: Partial<Gradient2LimitOptions> = {}): Gradient2Limit {
  const limit = gradient({ initial: 100, min: 1, ...options });
  for (let i = 0; i < 10; i++) limit.onSample(i, 100, 0, false);
  return limit;
}

describe('Gradient2', () => {
  test('grows by the smoothed queue size while times are as usual', () => {
    const limit = gradient();
    const seen = [1, 2, 3].map((at) => {
      limit.onSample(at, 100, 200, false);
      return limit.estimate;
    });
    for (const [i, expected] of [20.8, 21.6, 22.4].entries()) expect(seen[i]).toBeCloseTo(expected, 9);
    expect(limit.limit).toBe(22);
  });

  test('shrinks with the ratio of usual to present time', () => {
    const limit = warm();
    limit.onSample(11, 300, 100, false);
    expect(limit.usualMs).toBeCloseTo(100.66556, 5);
    expect(limit.estimate).toBeCloseTo(90.86656, 5);
  });

  test('tolerates one and a half times the usual time', () => {
    const limit = warm();
    limit.onSample(11, 150, 100, false);
    expect(limit.estimate).toBeCloseTo(100.8, 9);
  });

  test('a usual time more than twice the present one fades, for the next sample', () => {
    const limit = warm();
    limit.onSample(11, 40, 100, false);
    expect(limit.estimate).toBeCloseTo(100.8, 9);
    expect(limit.usualMs).toBeCloseTo(94.81032, 5);
  });

  test('a usual time of exactly twice the present one does not fade', () => {
    const limit = gradient();
    limit.onSample(0, 3, 0, false);
    limit.onSample(1, 1, 0, false);
    expect(limit.usualMs).toBe(2);
  });

  test('never shrinks by more than half of the smoothed part at once', () => {
    const limit = warm();
    limit.onSample(11, 1e9, 100, false);
    expect(limit.estimate).toBeCloseTo(100 * 0.8 + 54 * 0.2, 9);
  });

  test('a drop shrinks it and never teaches the usual time, however fast it failed', () => {
    const limit = warm();
    limit.onSample(11, 0.5, 100, true);
    expect(limit.usualMs).toBe(100);
    expect(limit.estimate).toBeCloseTo(90.8, 9);
  });

  test('a drop never grows it', () => {
    const limit = gradient({ initial: 2, min: 1 });
    limit.onSample(0, 100, 2, true);
    expect(limit.estimate).toBe(2);
  });

  test('stays where it is while half empty', () => {
    const limit = warm();
    limit.onSample(11, 100, 49, false);
    expect(limit.estimate).toBe(100);
    limit.onSample(12, 100, 50, false);
    expect(limit.estimate).toBeGreaterThan(100);
  });

  test('keeps within its bounds, reads as a whole number and survives a time of 0', () => {
    const limit = gradient({ initial: 1, min: 1, max: 3, queueSize: 0 });
    limit.onSample(0, 0, 1, false);
    expect(limit.limit).toBe(1);
    const growing = gradient({ initial: 20, min: 1, max: 25 });
    for (let i = 0; i < 100; i++) growing.onSample(i, 100, 50, false);
    expect(growing.limit).toBe(25);
  });

  test('can shrink to 1 when there is no room for bursts', () => {
    const limit = warm({ queueSize: 0 });
    for (let i = 0; i < 200; i++) limit.onSample(11 + i, 1e6 * (i + 1), 100, false);
    expect(limit.limit).toBe(1);
  });
});

test('an average is the plain mean while it warms up, then fades exponentially', () => {
  const average = new MovingAverage(100, 10);
  expect(average.value).toBe(0);
  const seen = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map((value) => average.add(value));
  expect(seen).toEqual([10, 10.5, 11, 11.5, 12, 12.5, 13, 13.5, 14, 14.5]);
  expect(average.add(100)).toBeCloseTo(16.193, 3);
  average.scale(0.5);
  expect(average.value).toBeCloseTo(8.0965, 4);
});
