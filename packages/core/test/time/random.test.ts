import { expect, test } from '@jest/globals';
import { seededRandom } from '../../src/time/random.js';

function draws(seed: number, count: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, random);
}

test('a seed gives the same numbers every time, another seed others', () => {
  expect(draws(7, 100)).toEqual(draws(7, 100));
  expect(draws(7, 100)).not.toEqual(draws(8, 100));
});

test('the numbers are those of mulberry32', () => {
  expect(draws(1, 3)).toEqual([0.6270739405881613, 0.002735721180215478, 0.5274470399599522]);
});

test('they lie from 0 up to 1 and are spread evenly', () => {
  const many = draws(42, 100_000);
  expect(many.every((draw) => draw >= 0 && draw < 1)).toBe(true);
  const tenths = new Array<number>(10).fill(0);
  for (const draw of many) {
    const tenth = Math.floor(draw * 10);
    tenths[tenth] = (tenths[tenth] ?? 0) + 1;
  }
  for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
});
