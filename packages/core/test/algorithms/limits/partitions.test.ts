import { describe, expect, test } from '@jest/globals';
import { Partitions } from '../../../src/algorithms/limits/partitions.js';

describe('partitions', () => {
  test.each([
    [20, { a: 0.9, b: 0.1, c: 0.05, d: 0 }, [18, 2, 1, 1]],
    [9, { a: 0.5, b: 0.3, c: 0.2 }, [5, 3, 2]],
    [100, { a: 0.07, b: 0.29, c: 0.57 }, [7, 29, 57]],
  ])('of a limit of %p, %j are guaranteed %j', (limit, shares, guaranteed) => {
    const partitions = new Partitions(shares);
    expect(Object.keys(shares).map((name) => partitions.limitOf(name, limit))).toEqual(guaranteed);
  });

  test('those without a share are counted together', () => {
    const partitions = new Partitions({ a: 0.5 });
    expect(partitions.inFlightOf('b')).toBe(0);
    expect([partitions.tryTake('b', 10), partitions.tryTake('c', 10)]).toEqual([true, true]);
    expect(partitions.inFlightOf('b')).toBe(2);
    partitions.giveBack('b');
    expect(partitions.inFlightOf('c')).toBe(1);
  });

  test('below the limit anybody is admitted, beyond its share too', () => {
    const partitions = new Partitions({ a: 0.5, b: 0.5 });
    for (let i = 0; i < 10; i++) expect(partitions.tryTake('a', 10)).toBe(true);
    expect(partitions.inFlight).toBe(10);
    expect(partitions.inFlightOf('a')).toBe(10);
  });

  test('at the limit each gets its own share still, and nobody more', () => {
    const partitions = new Partitions({ a: 0.7, b: 0.3 });
    for (let i = 0; i < 10; i++) partitions.tryTake('a', 10);
    expect(partitions.tryTake('a', 10)).toBe(false);
    expect([1, 2, 3, 4].map(() => partitions.tryTake('b', 10))).toEqual([true, true, true, false]);
    expect(partitions.inFlight).toBe(13);
  });

  test('whoever has no share is admitted below the limit only', () => {
    const partitions = new Partitions({ a: 1 });
    expect(partitions.limitOf('stranger', 10)).toBe(0);
    expect([partitions.tryTake('stranger', 2), partitions.tryTake('other', 2)]).toEqual([true, true]);
    expect(partitions.tryTake('stranger', 2)).toBe(false);
    expect(partitions.tryTake('a', 2)).toBe(true);
    partitions.giveBack('stranger');
    partitions.giveBack('other');
    expect(partitions.tryTake('stranger', 2)).toBe(true);
  });

  test('what is given back can be taken again, and asking takes nothing', () => {
    const partitions = new Partitions({ a: 0.5, b: 0.5 });
    partitions.tryTake('a', 1);
    for (let i = 0; i < 10; i++) expect(partitions.admits('b', 1)).toBe(true);
    partitions.giveBack('a');
    expect([partitions.inFlight, partitions.inFlightOf('a')]).toEqual([0, 0]);
    expect(partitions.tryTake('a', 1)).toBe(true);
  });
});
