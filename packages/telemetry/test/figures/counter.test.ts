import { describe, expect, test } from '@jest/globals';
import { Counter } from '../../src/figures/counter.js';
import { ClosedDim, OpenDim } from '../../src/figures/dims.js';
import type { Sample } from '../../src/figures/sample.js';

function closed(name: string, values: readonly string[]) {
  return new ClosedDim({ name, attribute: name, values, help: '' }, values);
}

function read(counter: Counter): Sample[] {
  const samples: Sample[] = [];
  counter.read({ dependency: 'quotes' }, samples);
  return samples;
}

describe('a counter', () => {
  test('without labels is there from the start', () => {
    const counter = new Counter([]);
    expect(read(counter)).toEqual([{ labels: { dependency: 'quotes' }, value: 0 }]);
    counter.add();
    counter.add(0, 0, 0, 0, 0.5);
    expect(read(counter)[0]?.value).toBe(1.5);
  });

  test('with few combinations shows those that have not happened, so that their first increase is seen', () => {
    const counter = new Counter([closed('outcome', ['good', 'bad'])]);
    counter.add(1);
    expect(read(counter)).toEqual([
      { labels: { dependency: 'quotes', outcome: 'good' }, value: 0 },
      { labels: { dependency: 'quotes', outcome: 'bad' }, value: 1 },
    ]);
  });

  test('with many combinations shows those that have happened', () => {
    const digits = ['0', '1', '2', '3'];
    const counter = new Counter([closed('a', digits), closed('b', digits), closed('c', digits)]);
    counter.add(3, 0, 2);
    counter.add(1, 3, 0);
    counter.add(1, 3, 0);
    expect(read(counter)).toEqual([
      { labels: { dependency: 'quotes', a: '1', b: '3', c: '0' }, value: 2 },
      { labels: { dependency: 'quotes', a: '3', b: '0', c: '2' }, value: 1 },
    ]);
  });

  test('grows with the values of its open label, and shows the rest once it is needed', () => {
    const names = new OpenDim({ name: 'name', attribute: 'name', help: '' }, 2, () => {});
    const counter = new Counter([names, closed('outcome', ['good', 'bad'])]);
    expect(read(counter)).toEqual([]);
    for (const name of ['a', 'b']) counter.add(names.index(name), 1);
    expect(read(counter).map(({ labels: { name, outcome }, value }) => [name, outcome, value])).toEqual([
      ['a', 'good', 0],
      ['a', 'bad', 1],
      ['b', 'good', 0],
      ['b', 'bad', 1],
    ]);
    counter.add(names.index('c'), 1);
    expect(read(counter).map(({ labels: { name, outcome }, value }) => [name, outcome, value])[0]).toEqual([
      'other',
      'bad',
      1,
    ]);
  });

  test('forgets one value of its first label, or everything', () => {
    const counter = new Counter([closed('a', ['x', 'y']), closed('b', ['0', '1', '2'])]);
    counter.add(0, 2);
    counter.add(1, 1);
    counter.clear(0);
    expect(read(counter).filter(({ value }) => value > 0)).toEqual([
      { labels: { dependency: 'quotes', a: 'y', b: '1' }, value: 1 },
    ]);
    counter.reset();
    expect(read(counter).filter(({ value }) => value > 0)).toEqual([]);
  });
});
