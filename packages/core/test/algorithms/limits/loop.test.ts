import { describe, expect, test } from '@jest/globals';
import { LoopLimit } from '../../../src/algorithms/limits/loop.js';

const OPTIONS = { turnMs: 10, min: 1, max: 100 };

function afterTurns(limit: LoopLimit, turns: number, turnMs: number, peak: number): number {
  for (let i = 0; i < turns; i++) limit.onTurn(i, turnMs, peak);
  return limit.limit;
}

describe('the loop limit', () => {
  test('starts at its maximum and stays there while turns are short', () => {
    const limit = new LoopLimit(OPTIONS);
    expect(limit.limit).toBe(100);
    expect(afterTurns(limit, 50, 10, 100)).toBe(100);
  });

  test('a turn too long cuts the smaller of limit and peak', () => {
    expect(afterTurns(new LoopLimit(OPTIONS), 1, 10.1, 100)).toBe(90);
    expect(afterTurns(new LoopLimit(OPTIONS), 1, 50, 40)).toBe(36);
    expect(afterTurns(new LoopLimit(OPTIONS), 1, 50, 4000)).toBe(90);
  });

  test('goes no lower than its minimum, and never below 1', () => {
    expect(afterTurns(new LoopLimit({ ...OPTIONS, min: 5 }), 100, 50, 100)).toBe(5);
    expect(afterTurns(new LoopLimit(OPTIONS), 100, 50, 1)).toBe(1);
    expect(afterTurns(new LoopLimit({ ...OPTIONS, min: 0.5 }), 100, 50, 0)).toBe(1);
  });

  test('grows by one for every round of itself while at least half is used', () => {
    const limit = new LoopLimit(OPTIONS);
    afterTurns(limit, 1, 50, 20);
    expect(limit.limit).toBe(18);
    expect(afterTurns(limit, 18, 1, 8)).toBe(18);
    expect(afterTurns(limit, 19, 1, 10)).toBe(19);
    expect(afterTurns(limit, 19 * 19, 1, 50)).toBeGreaterThan(25);
  });

  test('grows when exactly half of it is used', () => {
    const limit = new LoopLimit({ ...OPTIONS, min: 2 });
    afterTurns(limit, 1, 50, 1);
    afterTurns(limit, 1, 1, 1);
    expect(afterTurns(limit, 2, 1, 50)).toBe(3);
  });

  test('comes back to its maximum and no further', () => {
    const limit = new LoopLimit({ ...OPTIONS, max: 20 });
    afterTurns(limit, 1, 50, 10);
    expect(afterTurns(limit, 1000, 1, 20)).toBe(20);
  });

  test('learns nothing from latencies', () => {
    const limit = new LoopLimit(OPTIONS);
    for (let i = 0; i < 100; i++) limit.onSample(i, 60_000, 100, true);
    expect(limit.limit).toBe(100);
  });
});
