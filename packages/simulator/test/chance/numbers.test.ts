import { describe, expect, test } from '@jest/globals';
import { seededRandom } from '@spillway/core';
import { drawOf } from '../../src/chance/latency.js';
import { exp, exponential, ln, normal } from '../../src/chance/numbers.js';
import { seedFor } from '../../src/chance/seeds.js';

describe('numbers that are the same on every engine', () => {
  test('are logarithms and powers to thirteen digits', () => {
    for (const x of [1e-300, 0.001, 0.5, Math.SQRT1_2, 1, 1.5, 2, Math.E, 1000, 123_456.789, 1e300]) {
      expect(Math.abs(ln(x) - Math.log(x))).toBeLessThanOrEqual(1e-13 * Math.max(1, Math.abs(Math.log(x))));
    }
    for (const x of [-50, -1, -1e-9, 0, 0.3, 1, 5, 50]) {
      expect(Math.abs(exp(x) / Math.exp(x) - 1)).toBeLessThan(1e-13);
    }
  });

  test('do not depend on the last bits of anything: their exact values are fixed', () => {
    expect([ln(10), exp(1), ln(0.3), exp(-2.5)].map((x) => x.toPrecision(17))).toEqual([
      '2.3025850929940455',
      '2.7182818284590446',
      '-1.2039728043259359',
      '0.082084998623898800',
    ]);
  });

  test('draw the normal and the exponential distribution', () => {
    const random = seededRandom(7);
    const normals = Array.from({ length: 20_000 }, () => normal(random));
    const mean = normals.reduce((sum, x) => sum + x, 0) / normals.length;
    const variance = normals.reduce((sum, x) => sum + (x - mean) ** 2, 0) / normals.length;
    expect(mean).toBeCloseTo(0, 1);
    expect(variance).toBeCloseTo(1, 1);
    const gaps = Array.from({ length: 20_000 }, () => exponential(random, 40));
    expect(gaps.reduce((sum, x) => sum + x, 0) / gaps.length / 40).toBeCloseTo(1, 1);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
  });

  test('seed every purpose apart', () => {
    const seeds = ['traffic a', 'traffic b', 'service a'].flatMap((name) => [
      seedFor(1, name),
      seedFor(2, name),
    ]);
    expect(new Set(seeds).size).toBe(6);
    expect(seedFor(1, 'traffic a')).toBe(seeds[0]);
  });
});

describe('a latency law', () => {
  function quantiles(law: Parameters<typeof drawOf>[0], ...shares: number[]): number[] {
    const draw = drawOf(law);
    const random = seededRandom(3);
    const drawn = Array.from({ length: 20_000 }, () => draw(random)).sort((a, b) => a - b);
    return shares.map((share) => drawn[Math.floor(share * drawn.length)] ?? Number.NaN);
  }

  test('is fixed, uniform or normal', () => {
    expect(quantiles({ law: 'fixed', ms: 5 }, 0, 0.99)).toEqual([5, 5]);
    const [low = 0, middle = 0, high = 0] = quantiles(
      { law: 'uniform', fromMs: 10, toMs: 20 },
      0,
      0.5,
      0.9999,
    );
    expect(low).toBeGreaterThanOrEqual(10);
    expect(middle).toBeCloseTo(15, 0);
    expect(high).toBeLessThan(20);
    const [least = 0, mean = 0, p84 = 0] = quantiles(
      { law: 'normal', meanMs: 50, sdMs: 30, minMs: 1 },
      0,
      0.5,
      0.8413,
    );
    expect(least).toBe(1);
    expect(Math.abs(mean - 50)).toBeLessThan(1.5);
    expect(Math.abs(p84 - 80)).toBeLessThan(2);
  });

  test('meets the median and the 99th percentile of a log-normal one', () => {
    const [median = 0, p99 = 0] = quantiles({ law: 'log-normal', medianMs: 40, p99Ms: 120 }, 0.5, 0.99);
    expect(Math.abs(median / 40 - 1)).toBeLessThan(0.03);
    expect(Math.abs(p99 / 120 - 1)).toBeLessThan(0.06);
  });

  test('passes through the percentiles that were measured', () => {
    const points = [
      [0, 10],
      [0.5, 20],
      [0.99, 90],
      [1, 200],
    ] as const;
    const [p25 = 0, p50 = 0, p99 = 0, most = 0] = quantiles(
      { law: 'percentiles', points },
      0.25,
      0.5,
      0.99,
      0.99995,
    );
    expect(Math.abs(p25 - 15)).toBeLessThan(0.5);
    expect(Math.abs(p50 - 20)).toBeLessThan(1);
    expect(Math.abs(p99 - 90)).toBeLessThan(5);
    expect(most).toBeLessThanOrEqual(200);
  });
});
