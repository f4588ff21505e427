import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Histogram } from '../../src/measure/histogram.js';

function of(...values: number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

describe('a histogram of durations', () => {
  test('gives round values back as they came', () => {
    for (const ms of [0, 0.5, 1, 20, 99.9, 100, 700, 1000, 12_300, 3_600_000]) {
      expect(of(ms, ms, ms).quantile(0.5)).toBe(ms);
    }
  });

  test('knows count, mean and the exact maximum', () => {
    const histogram = of(1, 2, 3.4567);
    expect([histogram.count, histogram.max]).toEqual([3, 3.4567]);
    expect(histogram.mean).toBeCloseTo(2.1522, 4);
    expect([of().quantile(0.99), of().mean, of().max]).toEqual([0, 0, 0]);
  });

  test('forgets everything when it is reset, and takes in another', () => {
    const histogram = of(5, 6);
    histogram.reset();
    expect([histogram.count, histogram.quantile(1), histogram.max, histogram.mean]).toEqual([0, 0, 0, 0]);
    histogram.addAll(of(1, 9));
    expect([
      histogram.count,
      histogram.quantile(0.5),
      histogram.quantile(1),
      histogram.max,
      histogram.mean,
    ]).toEqual([2, 1, 9, 9, 5]);
  });

  test('is never more than half a percent, or a microsecond, away from the true percentile', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 200 }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (values, share) => {
          const sorted = [...values].sort((a, b) => a - b);
          const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] as number;
          expect(Math.abs(of(...values).quantile(share) - exact)).toBeLessThanOrEqual(
            Math.max(0.001, exact * 0.00501),
          );
        },
      ),
    );
  });
});
