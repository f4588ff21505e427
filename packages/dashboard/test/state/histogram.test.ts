import { describe, expect, test } from '@jest/globals';
import { Histogram, quantile } from '../../src/state/histogram.js';

function of(...values: number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

describe('quantiles of durations', () => {
  test.each([0.05, 0.3, 1, 7.4, 42, 999, 30_000, 170_000])('are within 5 %% of %d ms', (ms) => {
    // others on both sides, or the value itself would be known
    const found = quantile([of(0.001, ms, 1e6)], 0.5) as number;
    expect(Math.abs(found - Math.max(0.1, ms)) / Math.max(0.1, ms)).toBeLessThan(0.055);
  });

  test('are taken over several histograms, empty ones left out', () => {
    const parts = [of(...Array(50).fill(10)), undefined, new Histogram(), of(...Array(49).fill(100), 5000)];
    expect(quantile(parts, 0.5)).toBeCloseTo(10, 0);
    expect(quantile(parts, 0.51)).toBeGreaterThan(95);
    expect(quantile(parts, 0.99)).toBeLessThan(105);
    expect(quantile(parts, 1)).toBeGreaterThan(4700);
  });

  test('never lie outside of what was recorded', () => {
    expect(quantile([of(30_000, 30_000)], 0.5)).toBe(30_000);
    expect(quantile([of(102, 103)], 0.01)).toBeGreaterThanOrEqual(102);
    expect(quantile([of(96), of(97)], 1)).toBeLessThanOrEqual(97);
    expect(quantile([of(0.03)], 0.5)).toBe(0.03);
  });

  test('of nothing are null', () => {
    expect(quantile([undefined, new Histogram()], 0.99)).toBeNull();
  });

  test('of what is longer than all bounds are the last bound', () => {
    expect(quantile([of(1e9, Number.POSITIVE_INFINITY)], 0.5)).toBeGreaterThan(300_000);
  });
});
