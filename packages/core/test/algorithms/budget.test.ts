import { describe, expect, test } from '@jest/globals';
import type { RetryBudget } from '../../src/algorithms/budget.js';
import { budget } from './budget-set-up.js';

function start(of: RetryBudget, operations: number, now = 0, key?: string): void {
  for (let i = 0; i < operations; i++) of.operationStarted(now, key);
}

/** Asks until the answer is no. */
function grants(of: RetryBudget, now = 0, key?: string): number {
  let granted = 0;
  while (granted < 10_000 && of.tryGrant(now, key)) granted++;
  return granted;
}

describe('the window', () => {
  test.each([
    [0.2, 4, 0],
    [0.2, 5, 1],
    [0.2, 10, 2],
    [0.75, 4, 3],
    [0.3, 10, 3],
    [2, 1, 2],
    [0.2, 10_000, 2000],
  ])('with a ratio of %p, %p operations may retry %p times', (ratio, operations, allowed) => {
    const one = budget({ ratio });
    start(one, operations);
    expect(grants(one)).toBe(allowed);
  });

  test('the floor is there whole from the start and comes on top', () => {
    const one = budget({ minPerSecond: 1 });
    expect(grants(one)).toBe(10);
    start(one, 10, 5);
    expect(grants(one, 5)).toBe(2);
  });

  test('a lone failing request is retried on the floor alone', () => {
    const one = budget({ minPerSecond: 0.3 });
    start(one, 1);
    expect(one.tryGrant(1)).toBe(true);
  });

  test('after a whole idle window the floor is there again, and old operations are not', () => {
    const one = budget({ minPerSecond: 0.1 });
    start(one, 100, 0);
    expect(grants(one, 0)).toBe(21);
    expect(grants(one, 9999)).toBe(0);
    expect(grants(one, 10_000)).toBe(1);
  });

  test('operations leave it with the oldest of their tenth of a window, grants with the youngest', () => {
    const one = budget({ ratio: 1 });
    for (const at of [0, 900]) {
      one.operationStarted(at);
      one.tryGrant(at);
    }
    expect(one.view(9999)).toMatchObject({ operations: 2, granted: 2, allowed: 2 });
    expect(one.view(10_500)).toMatchObject({ operations: 0, granted: 2, allowed: 0 });
    expect(one.view(10_900)).toMatchObject({ operations: 0, granted: 0 });
  });

  test('the view allows the ratio of the operations and the floor', () => {
    const one = budget({ minPerSecond: 0.3 });
    start(one, 5);
    expect(one.view(0).allowed).toBe(4);
  });

  test('a refused retry is not charged', () => {
    const one = budget();
    start(one, 5);
    grants(one);
    for (let i = 0; i < 50; i++) one.tryGrant(1);
    expect(one.view(1)).toEqual({ operations: 5, granted: 1, allowed: 1, inFlight: 5, retrying: 1 });
  });

  test('a retry given back can be granted to another', () => {
    const one = budget();
    start(one, 5);
    expect(one.tryGrant(10)).toBe(true);
    expect(one.tryGrant(20)).toBe(false);
    one.giveBack(10, 30);
    expect(one.view(30)).toMatchObject({ granted: 0, retrying: 0 });
    expect(one.tryGrant(30)).toBe(true);
  });

  test('giving back what has left the window lets nobody retry for it', () => {
    const one = budget({ ratio: 1 });
    start(one, 1, 0);
    one.tryGrant(0);
    start(one, 1, 20_000);
    one.tryGrant(20_000);
    one.giveBack(0, 20_000);
    expect(one.tryGrant(20_000)).toBe(false);
    expect(one.view(20_000)).toMatchObject({ granted: 1, retrying: 1 });
  });

  test('a broad outage costs no more than the ratio and the floor', () => {
    const one = budget({ ratio: 0.1, minPerSecond: 1 });
    let granted = 0;
    for (let ms = 0; ms < 10_000; ms += 10) {
      one.operationStarted(ms);
      if (one.tryGrant(ms + 1)) granted++;
      one.operationEnded();
    }
    expect(granted).toBeGreaterThanOrEqual(100);
    expect(granted).toBeLessThanOrEqual(110);
  });
});

describe('the concurrent part', () => {
  const concurrent = { ratio: 0.2, min: 3 };

  test.each([
    [1, 3],
    [10, 3],
    [19, 4],
    [20, 4],
    [21, 5],
    [100, 20],
  ])('of %p operations in flight, %p may retry at once', (inFlight, allowed) => {
    const one = budget({ ratio: 10, minPerSecond: 10, concurrent });
    start(one, inFlight);
    expect(grants(one)).toBe(allowed);
  });

  test('a retry that has ended or was given back makes room', () => {
    const one = budget({ ratio: 10, concurrent });
    start(one, 10);
    expect(grants(one)).toBe(3);
    one.retryEnded();
    expect(grants(one)).toBe(1);
    one.giveBack(0, 5);
    expect(grants(one, 5)).toBe(1);
    expect(one.view(5)).toMatchObject({ granted: 4, retrying: 3 });
  });

  test('six in flight that all fail at once may all retry when the ratio is 1', () => {
    const one = budget({ ratio: 1, concurrent: { ratio: 1, min: 0 } });
    start(one, 6);
    expect(grants(one)).toBe(6);
  });

  test('operations that have settled no longer count', () => {
    const one = budget({ ratio: 1, concurrent: { ratio: 1, min: 0 } });
    start(one, 6);
    for (let i = 0; i < 4; i++) one.operationEnded();
    expect(one.view(0)).toMatchObject({ operations: 6, inFlight: 2 });
    expect(grants(one)).toBe(2);
  });
});

describe('keys', () => {
  const keyed = { key: true, ratio: 0.5, minPerSecond: 0.3 } as const;

  test('each key has the ratio of its own operations; the floor is shared by all', () => {
    const one = budget(keyed);
    start(one, 10, 0, 'a');
    start(one, 4, 0, 'b');
    expect(grants(one, 1, 'a')).toBe(5 + 3);
    expect(grants(one, 1, 'b')).toBe(2);
    expect(grants(one, 1, 'c')).toBe(0);
  });

  test('a key without operations lives on the floor', () => {
    const one = budget(keyed);
    start(one, 10, 0, 'a');
    expect(grants(one, 1, 'b')).toBe(3);
    expect(grants(one, 1, 'a')).toBe(5);
  });

  test('calls without a key are one more tenant', () => {
    const one = budget(keyed);
    start(one, 10, 0, 'a');
    start(one, 2, 0);
    expect(grants(one, 1)).toBe(1 + 3);
    expect(grants(one, 1, 'a')).toBe(5);
  });

  test('an empty key is none', () => {
    const one = budget({ ...keyed, minPerSecond: 0 });
    start(one, 4, 0, '');
    expect(grants(one, 1)).toBe(2);
    one.giveBack(1, 2);
    expect(grants(one, 2, '')).toBe(1);
    expect(one.keys).toBe(1);
  });

  test('a key that is not asked for changes nothing', () => {
    const one = budget({ ...keyed, key: false });
    start(one, 10, 0, 'a');
    expect(grants(one, 1, 'b')).toBe(8);
    expect(one.keys).toBe(0);
  });

  test('what a key drew on the floor and gave back is there for the others', () => {
    const one = budget(keyed);
    start(one, 20, 0, 'a');
    expect(grants(one, 1, 'b')).toBe(3);
    one.giveBack(1, 2, 'b');
    expect(grants(one, 3, 'c')).toBe(1);
    expect(grants(one, 3, 'd')).toBe(0);
  });

  test('giving back a retry within the own part leaves the floor as drawn as it is needed', () => {
    const one = budget(keyed);
    start(one, 2, 0, 'a');
    start(one, 20, 0, 'x');
    expect(grants(one, 1, 'a')).toBe(1 + 3);
    one.giveBack(1, 2, 'a');
    expect(grants(one, 2, 'b')).toBe(1);
    expect(grants(one, 2, 'a')).toBe(0);
  });

  test('giving back frees nothing of the floor while the other retries of the key need it', () => {
    const one = budget(keyed);
    start(one, 4, 0, 'a');
    expect(grants(one, 9000, 'a')).toBe(2 + 3);
    one.giveBack(9000, 9000, 'a');
    one.giveBack(9000, 9000, 'a');
    // a draws on one of the floor's three; now its operations leave the window, and its retries stay
    start(one, 20, 10_000, 'x');
    one.giveBack(9000, 10_500, 'a');
    expect(grants(one, 10_500, 'b')).toBe(2);
  });

  test('the concurrent part is shared', () => {
    const one = budget({ key: true, ratio: 1, concurrent: { ratio: 1, min: 2 } });
    start(one, 2, 0, 'a');
    start(one, 2, 0, 'b');
    expect(grants(one, 0, 'a')).toBe(2);
    one.operationEnded('a');
    expect(grants(one, 0, 'b')).toBe(1);
  });

  test('as many keys are remembered as allowed; the least recently used goes', () => {
    const one = budget({ ...keyed, minPerSecond: 0, maxKeys: 2 });
    start(one, 4, 0, 'a');
    start(one, 4, 1, 'b');
    start(one, 1, 2, 'a');
    start(one, 4, 3, 'c');
    expect(one.keys).toBe(2);
    expect(grants(one, 4, 'a')).toBe(2);
    expect(grants(one, 4, 'c')).toBe(2);
    expect(grants(one, 4, 'b')).toBe(0);
  });

  test('a hundred thousand keys stay within the bound', () => {
    const one = budget({ ...keyed, maxKeys: 50 });
    for (let i = 0; i < 100_000; i++) one.operationStarted(i / 100, `k${i}`);
    expect(one.keys).toBe(50);
  });

  test('keys with nothing in their window leave when another comes', () => {
    const one = budget(keyed);
    for (const key of ['a', 'b', 'c']) one.operationStarted(0, key);
    one.operationStarted(5000, 'd');
    expect(one.keys).toBe(4);
    one.operationStarted(10_000, 'e');
    expect(one.keys).toBe(2);
  });

  test('giving back for a key that was forgotten still returns the shared part', () => {
    const one = budget({ key: true, ratio: 1, maxKeys: 1, concurrent: { ratio: 0, min: 1 } });
    one.operationStarted(0, 'a');
    one.operationStarted(0, 'b');
    expect(one.tryGrant(0, 'b')).toBe(true);
    one.operationStarted(1, 'c');
    one.giveBack(0, 2, 'b');
    expect(one.view(2)).toMatchObject({ granted: 0, retrying: 0 });
    expect(one.tryGrant(2, 'c')).toBe(true);
  });
});
