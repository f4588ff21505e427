import { describe, expect, test } from '@jest/globals';
import { backoffDelay } from '../../src/algorithms/backoff.js';
import type { ResolvedBackoff } from '../../src/config/resolved.js';

const BASE: ResolvedBackoff = { baseMs: 100, factor: 2, capMs: 20_000, jitter: 'full' };
const half = () => 0.5;

function series(options: ResolvedBackoff, steps: number, draw: number): number[] {
  const waits: number[] = [];
  for (let i = 0; i < steps; i++) waits.push(backoffDelay(options, i, () => draw, waits.at(-1) ?? 0));
  return waits;
}

describe('formulas', () => {
  test.each([
    [0, 50],
    [1, 100],
    [2, 200],
    [3, 400],
    [10, 10_000],
  ])('full jitter of retry %p with a middle draw is %p', (retry, ms) => {
    expect(backoffDelay(BASE, retry, half, 0)).toBe(ms);
  });

  test.each([
    [0, 75],
    [1, 150],
    [2, 300],
    [3, 600],
    [10, 15_000],
  ])('equal jitter of retry %p with a middle draw is %p', (retry, ms) => {
    expect(backoffDelay({ ...BASE, jitter: 'equal' }, retry, half, 0)).toBe(ms);
  });

  test('decorrelated jitter grows from the wait before', () => {
    const waits = series({ ...BASE, jitter: 'decorrelated' }, 8, 0.5);
    const expected = [200, 350, 575, 912.5, 1418.75, 2178.125, 3317.1875, 5025.78125];
    expect(waits).toEqual(expected);
  });

  test('decorrelated jitter with the highest draws ends at its cap', () => {
    const waits = series({ ...BASE, jitter: 'decorrelated' }, 6, 1);
    expect(waits).toEqual([300, 900, 2700, 8100, 20_000, 20_000]);
  });

  test('without jitter it is the exponential itself', () => {
    expect(series({ ...BASE, jitter: 'none' }, 5, 0.5)).toEqual([100, 200, 400, 800, 1600]);
    expect(backoffDelay({ ...BASE, jitter: 'none' }, 9, half, 0)).toBe(20_000);
  });

  test('a base above the cap waits for the cap', () => {
    const options = { ...BASE, baseMs: 500, capMs: 300 };
    expect(backoffDelay({ ...options, jitter: 'none' }, 0, half, 0)).toBe(300);
    expect(backoffDelay({ ...options, jitter: 'decorrelated' }, 0, half, 0)).toBe(300);
  });
});

describe('bounds', () => {
  const jitters = ['full', 'equal', 'decorrelated', 'none'] as const;

  test.each(jitters)('%s stays finite and within the cap for 2000 retries', (jitter) => {
    const options = { ...BASE, capMs: 30_000, jitter };
    for (const draw of [0, 0.5, 0.999999]) {
      for (const wait of series(options, 2001, draw)) {
        expect(wait >= 0 && wait <= 30_000).toBe(true);
      }
    }
  });

  test.each(['full', 'equal', 'none'] as const)(
    'the longest %s wait never shrinks from one retry to the next',
    (jitter) => {
      const waits = series({ ...BASE, capMs: 30_000, jitter }, 2001, 0.999999);
      expect(waits.every((wait, i) => wait >= (waits[i - 1] ?? 0))).toBe(true);
    },
  );

  test.each(jitters)('%s without a cap is a number all the same', (jitter) => {
    const options = { ...BASE, capMs: Number.POSITIVE_INFINITY, jitter };
    for (const draw of [0, 0.999999]) {
      for (const wait of series(options, 2001, draw)) expect(Number.isFinite(wait)).toBe(true);
    }
  });

  test.each(jitters)('%s of a base of 0 never waits', (jitter) => {
    expect(series({ ...BASE, baseMs: 0, jitter }, 2001, 0.5).every((wait) => wait === 0)).toBe(true);
  });
});
