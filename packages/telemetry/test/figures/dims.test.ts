import { describe, expect, test } from '@jest/globals';
import { ClosedDim, OpenDim } from '../../src/figures/dims.js';

const LABEL = { name: 'operation', attribute: 'spillway.operation', help: '' };

describe('a label with known values', () => {
  const dim = new ClosedDim(LABEL, ['no', 'maybe']);

  test('numbers them in order', () => {
    expect([dim.index('no'), dim.index('maybe'), dim.text(1), dim.radix, dim.size]).toEqual([
      0,
      1,
      'maybe',
      2,
      2,
    ]);
  });

  test('refuses any other: the table and the events have parted', () => {
    expect(() => dim.index('yes')).toThrow(/no value yes of the label operation/);
  });
});

describe('a label whose values users name', () => {
  test('tells the first ones apart and counts each use of the others', () => {
    let folded = 0;
    const dim = new OpenDim(LABEL, 2, () => folded++);
    expect(['a', 'b', 'c', 'a', 'd', 'c', 'b'].map((value) => dim.index(value))).toEqual([
      1, 2, 0, 1, 0, 0, 2,
    ]);
    expect([folded, dim.size, dim.text(0), dim.text(2), dim.text(3)]).toEqual([
      3,
      3,
      'other',
      'b',
      undefined,
    ]);
  });

  test('takes a value that is called like the rest for the rest, which is no folding', () => {
    let folded = 0;
    const dim = new OpenDim(LABEL, 1, () => folded++);
    expect([dim.index('other'), dim.index('a'), dim.index('other'), folded]).toEqual([0, 1, 0, 0]);
  });
});
