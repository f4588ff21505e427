import { describe, expect, test } from '@jest/globals';
import { VegasLimit, type VegasLimitOptions } from '../../../src/algorithms/limits/vegas.js';

const half = () => 0.5;

function vegas(options: Partial<VegasLimitOptions> = {}): VegasLimit {
  return new VegasLimit({ initial: 20, min: 1, max: 1000, smoothing: 1, ...options }, half);
}

function feed(limit: VegasLimit, samples: readonly (readonly [number, number])[]): number[] {
  return samples.map(([rtt, inFlight], i) => {
    limit.onSample(i, rtt, inFlight, false);
    return limit.limit;
  });
}

describe('Vegas', () => {
  test('the first sample only sets the baseline; a short queue then grows it by beta', () => {
    expect(
      feed(vegas({ initial: 10, max: 20 }), [
        [10, 10],
        [10, 11],
      ]),
    ).toEqual([10, 16]);
  });

  test('a long queue shrinks it by a step, one in between leaves it', () => {
    expect(
      feed(vegas({ initial: 10, max: 20 }), [
        [10, 10],
        [50, 11],
      ]),
    ).toEqual([10, 9]);
    expect(
      feed(vegas({ initial: 10, max: 20 }), [
        [10, 10],
        [14, 14],
      ]),
    ).toEqual([10, 10]);
  });

  test('steps grow with the logarithm of the limit', () => {
    expect(
      feed(vegas({ initial: 10_000, max: 20_000 }), [
        [10, 5000],
        [10, 10_000],
      ])[1],
    ).toBe(10_024);
  });

  test.each([
    ['of the least step grows it by six', 20, 96, 26],
    ['of more than a step grows it by one', 20, 92.5, 21],
    ['of three steps leaves it', 20, 87.5, 20],
    ['of six steps leaves it', 20, 72.5, 20],
    ['of more than six steps shrinks it by one', 20, 67.5, 19],
    ['of less than three larger steps grows it by one of those', 100, 96.5, 102],
  ])('a queue %s', (_, initial, baselineMs, grown) => {
    expect(
      feed(vegas({ initial }), [
        [baselineMs, initial],
        [100, initial],
      ]),
    ).toEqual([initial, grown]);
  });

  test('a faster sample becomes the baseline, and changes nothing by itself', () => {
    expect(
      feed(vegas(), [
        [100, 20],
        [50, 20],
        [100, 20],
      ]),
    ).toEqual([20, 20, 19]);
  });

  test('smoothing takes a part of each new value', () => {
    const halve = { initial: 100, max: 200, decrease: (limit: number) => limit / 2 };
    const samples = [
      [10, 100],
      [20, 100],
      [20, 100],
    ] as const;
    expect(feed(vegas({ ...halve, smoothing: 0.5 }), samples)).toEqual([100, 75, 56]);
    expect(feed(vegas(halve), samples)).toEqual([100, 50, 25]);
  });

  test('a known sequence gives known limits, and a drop shrinks it by one more step', () => {
    const limit = vegas();
    const samples = [
      [100, 20],
      [100, 26],
      [105, 26],
      [120, 27],
      [150, 27],
      [200, 26],
      [400, 25],
      [400, 5],
    ] as const;
    expect(feed(limit, samples)).toEqual([20, 26, 27, 27, 26, 25, 24, 24]);
    limit.onSample(9, 400, 24, true);
    expect(limit.limit).toBe(23);
  });

  test('a drop never becomes the baseline, however fast it failed', () => {
    const taught = vegas();
    const innocent = vegas();
    feed(taught, [[100, 20]]);
    feed(innocent, [[100, 20]]);
    taught.onSample(1, 1, 20, true);
    expect(taught.limit).toBe(19);
    // against a baseline of 1 ms this would be a long queue; against 100 ms it is none
    expect(feed(taught, [[100, 20]])).toEqual([25]);
  });

  test('a drop before any baseline shrinks it and teaches none', () => {
    const limit = vegas();
    limit.onSample(0, 1, 20, true);
    expect(
      feed(limit, [
        [100, 20],
        [100, 20],
      ]),
    ).toEqual([19, 25]);
  });

  test('does not grow while half empty', () => {
    expect(
      feed(vegas(), [
        [100, 20],
        [100, 9],
        [100, 9],
        [100, 10],
      ]),
    ).toEqual([20, 20, 20, 26]);
  });

  test('measures its baseline anew about every thirty times the limit', () => {
    const limit = vegas({ initial: 4, max: 100 });
    // a middle draw makes it 0.75 x 30 x 4 = 90 samples
    limit.onSample(0, 10, 0, false);
    for (let i = 1; i < 88; i++) limit.onSample(i, 500, 0, false);
    expect(feed(limit, [[500, 4]])).toEqual([4]);
    expect(
      feed(limit, [
        [500, 4],
        [500, 4],
      ]),
    ).toEqual([4, 10]);
  });

  test('shrinks to its minimum of 1 and stays within its maximum', () => {
    const limit = vegas({ max: 30 });
    for (let i = 0; i < 100; i++) limit.onSample(i, 100, 20, true);
    expect(limit.limit).toBe(1);
    for (let i = 0; i < 100; i++) limit.onSample(i, 100, 50, false);
    expect(limit.limit).toBe(30);
  });
});
