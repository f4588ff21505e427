import { expect, test } from '@jest/globals';
import { Ring } from '../../src/state/ring.js';

test('a ring keeps the last so many, oldest first', () => {
  const ring = new Ring<number>(3);
  expect(ring.all()).toEqual([]);
  for (let value = 1; value <= 3; value++) ring.push(value);
  expect(ring.all()).toEqual([1, 2, 3]);
  for (let value = 4; value <= 8; value++) ring.push(value);
  expect(ring.all()).toEqual([6, 7, 8]);
  expect(ring.last(2)).toEqual([7, 8]);
  expect(ring.last(9)).toEqual([6, 7, 8]);
  expect(ring.length).toBe(3);
});
