import { describe, expect, test } from '@jest/globals';
import { BreakerDim } from '../../src/figures/breaker-dim.js';

const LABEL = { name: 'breaker', attribute: 'spillway.breaker', help: '' };

function dimOf(limit: number, mayShow = (_key: string): boolean => true) {
  const seen = { folded: 0, taken: [] as number[] };
  const hooks = { mayShow, folded: () => seen.folded++, taken: (index: number) => seen.taken.push(index) };
  return { dim: new BreakerDim(LABEL, limit, hooks), seen };
}

describe('the keys of breakers', () => {
  test('are told apart up to the limit', () => {
    const { dim, seen } = dimOf(2);
    expect(['a', 'b', 'c', 'a'].map((key) => dim.index(key))).toEqual([1, 2, 0, 1]);
    expect([seen.folded, dim.text(2), dim.text(0)]).toEqual([1, 'b', 'other']);
  });

  test('that may not be seen are one, which is no folding', () => {
    const { dim, seen } = dimOf(2, (key) => key === 'a');
    expect([dim.index('user 42'), dim.index('a'), dim.shown('user 42'), seen.folded]).toEqual([
      0,
      1,
      'other',
      0,
    ]);
  });

  test('disappear when they are forgotten, and come back under their old number', () => {
    const { dim, seen } = dimOf(2);
    dim.index('a');
    dim.forget('a');
    expect(dim.text(1)).toBeUndefined();
    expect(dim.index('a')).toBe(1);
    expect([dim.text(1), seen.taken]).toEqual(['a', []]);
  });

  test('take over the number of the one forgotten longest when there is no other', () => {
    const { dim, seen } = dimOf(2);
    dim.index('a');
    dim.index('b');
    dim.forget('b');
    dim.forget('a');
    expect([dim.index('c'), seen.taken, dim.text(2)]).toEqual([2, [2], 'c']);
    expect([dim.index('b'), seen.taken]).toEqual([1, [2, 1]]);
    expect([dim.index('d'), seen.folded]).toEqual([0, 1]);
  });

  test('to look at one counts nothing', () => {
    const { dim, seen } = dimOf(1);
    expect([dim.shown('a'), dim.shown('b'), seen.folded]).toEqual(['a', 'other', 0]);
  });

  test('forgetting what is not there, or twice, does nothing', () => {
    const { dim, seen } = dimOf(1);
    dim.forget('a');
    dim.index('a');
    dim.forget('a');
    dim.forget('a');
    expect([dim.index('b'), dim.index('c'), seen.taken]).toEqual([1, 0, [1]]);
  });
});
