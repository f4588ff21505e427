import { describe, expect, test } from '@jest/globals';
import { ClosedDim, OpenDim } from '../../src/figures/dims.js';
import { Histogram } from '../../src/figures/histogram.js';
import type { Sample } from '../../src/figures/sample.js';

function read(histogram: Histogram): (readonly [string | undefined, string | number | undefined, number])[] {
  const samples: Sample[] = [];
  histogram.read({}, samples);
  return samples.map(({ metricName, labels: { le }, value }) => [metricName, le, value] as const);
}

describe('a histogram', () => {
  test('counts in each bucket what is at most its bound, and sums in its unit', () => {
    const histogram = new Histogram('wait_seconds', [0.005, 0.1, 1], [], 1000);
    for (const ms of [5, 5.5, 100, 250, 1000, 1001]) histogram.observe(0, ms);
    expect(read(histogram)).toEqual([
      ['wait_seconds_bucket', 0.005, 1],
      ['wait_seconds_bucket', 0.1, 3],
      ['wait_seconds_bucket', 1, 5],
      ['wait_seconds_bucket', '+Inf', 6],
      ['wait_seconds_sum', undefined, 2.3615],
      ['wait_seconds_count', undefined, 6],
    ]);
  });

  test('without labels is there from the start, with labels where something was observed', () => {
    expect(read(new Histogram('a', [1], [], 1)).map(([, , value]) => value)).toEqual([0, 0, 0, 0]);
    const label = { name: 'outcome', attribute: 'outcome', help: '' };
    const histogram = new Histogram('a', [0, 1], [new ClosedDim(label, ['good', 'bad'])], 1);
    expect(read(histogram)).toEqual([]);
    histogram.observe(1, 0);
    const samples: Sample[] = [];
    histogram.read({}, samples);
    expect(samples.map(({ labels: { outcome } }) => outcome)).toEqual(Array(5).fill('bad'));
  });

  test('grows with the values of its open label', () => {
    const names = new OpenDim({ name: 'source', attribute: 'source', help: '' }, 3, () => {});
    const histogram = new Histogram('a', [1], [names], 1);
    for (const name of ['x', 'y', 'z', 'w']) histogram.observe(names.index(name), 2);
    const counts = read(histogram).filter(([name]) => name === 'a_count');
    expect(counts).toEqual(Array(4).fill(['a_count', undefined, 1]));
    histogram.reset();
    expect(read(histogram)).toEqual([]);
  });
});
