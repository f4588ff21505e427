import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Units, type UnitWaiter } from '../../src/algorithms/units.js';

class Waiter implements UnitWaiter {
  prevWaiter: UnitWaiter | undefined = undefined;
  nextWaiter: UnitWaiter | undefined = undefined;
  queue: unknown = undefined;
  readonly name: string;
  readonly #got: string[];

  constructor(name: string, got: string[]) {
    this.name = name;
    this.#got = got;
  }

  onUnit(): void {
    this.#got.push(this.name);
  }
}

describe('taking', () => {
  test('as many units as the limit can be taken', () => {
    const units = new Units(2, 0);
    expect([units.tryTake(), units.tryTake(), units.tryTake()]).toEqual([true, true, false]);
    expect(units.inUse).toBe(2);
    units.giveBack();
    expect(units.tryTake()).toBe(true);
  });

  test('a newcomer would have to wait while none is free, or while others wait', () => {
    const units = new Units(1, 5);
    expect(units.full).toBe(false);
    units.tryTake();
    expect(units.full).toBe(true);
    units.giveBack();
    expect(units.full).toBe(false);
    units.enqueue(new Waiter('w', []), false);
    expect(units.full).toBe(true);
  });

  test('one extra can be taken above the limit, and its return does not raise the limit', () => {
    const units = new Units(1, 5);
    const got: string[] = [];
    units.tryTake();
    units.enqueue(new Waiter('w', got), false);
    expect(units.tryTake(1)).toBe(true);
    expect(units.tryTake(1)).toBe(false);
    expect(units.inUse).toBe(2);
    units.giveBack();
    expect([units.inUse, units.queued, got]).toEqual([1, 1, []]);
    units.giveBack();
    expect([units.inUse, units.queued, got]).toEqual([1, 0, ['w']]);
    units.giveBack();
    expect(units.inUse).toBe(0);
  });

  test('an endless extra always gets one', () => {
    const units = new Units(1, 0);
    for (let i = 0; i < 5; i++) expect(units.tryTake(Number.POSITIVE_INFINITY)).toBe(true);
    for (let i = 0; i < 5; i++) units.giveBack();
    expect(units.inUse).toBe(0);
  });
});

describe('waiting', () => {
  test('a unit given back goes to the first in line in the same turn, and a newcomer gets none in between', () => {
    const units = new Units(1, 5);
    const got: string[] = [];
    units.tryTake();
    units.enqueue(new Waiter('a', got), false);
    units.enqueue(new Waiter('b', got), false);
    units.giveBack();
    expect(got).toEqual(['a']);
    expect(units.tryTake()).toBe(false);
    units.giveBack();
    expect(units.tryTake()).toBe(false);
    units.giveBack();
    expect(got).toEqual(['a', 'b']);
    expect([units.inUse, units.queued]).toEqual([0, 0]);
  });

  test('those ahead go before all others and in order among themselves', () => {
    const units = new Units(1, 9);
    const got: string[] = [];
    units.tryTake();
    for (const [name, ahead] of [
      ['a', false],
      ['R', true],
      ['b', false],
      ['S', true],
    ] as const) {
      units.enqueue(new Waiter(name, got), ahead);
    }
    for (let i = 0; i < 4; i++) units.giveBack();
    expect(got).toEqual(['R', 'S', 'a', 'b']);
  });

  test('a full queue takes nobody, those ahead included', () => {
    const units = new Units(1, 1);
    units.tryTake();
    expect(units.enqueue(new Waiter('a', []), false)).toBe(true);
    expect(units.enqueue(new Waiter('b', []), true)).toBe(false);
    expect(units.queued).toBe(1);
  });

  test('whoever leaves the line frees its place and is passed over', () => {
    const units = new Units(1, 2);
    const got: string[] = [];
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new Waiter(name, got)) as [Waiter, Waiter, Waiter];
    units.tryTake();
    units.enqueue(a, false);
    units.enqueue(b, true);
    expect(units.remove(a)).toBe(true);
    expect(units.remove(a)).toBe(false);
    expect(units.remove(b)).toBe(true);
    expect(units.enqueue(c, false)).toBe(true);
    units.giveBack();
    expect(got).toEqual(['c']);
    expect(units.remove(c)).toBe(false);
  });

  test('aborting the running and a waiting one together lets the next run', () => {
    const units = new Units(1, 5);
    const got: string[] = [];
    const b = new Waiter('b', got);
    units.tryTake();
    units.enqueue(b, false);
    units.enqueue(new Waiter('c', got), false);
    units.remove(b);
    units.giveBack();
    expect([got, units.inUse, units.queued]).toEqual([['c'], 1, 0]);
    units.giveBack();
    expect([units.inUse, units.queued]).toEqual([0, 0]);
  });
});

test('whatever happens, units stay within the limit, the line keeps its order, and no hand-over is lost', () => {
  const step = fc.record({
    act: fc.constantFrom('come', 'come', 'retry', 'probe', 'end', 'end', 'leave'),
    which: fc.nat(9),
  });
  const shape = fc.record({ limit: fc.integer({ min: 1, max: 3 }), queueLimit: fc.nat(4) });
  fc.assert(
    fc.property(shape, fc.array(step, { maxLength: 80 }), ({ limit, queueLimit }, steps) => {
      const units = new Units(limit, queueLimit);
      const got: string[] = [];
      const ahead: Waiter[] = [];
      const line: Waiter[] = [];
      let running = 0;
      const queued = () => ahead.length + line.length;
      for (const [i, { act, which }] of steps.entries()) {
        if (act === 'come' || act === 'retry') {
          const free = running < limit && queued() === 0;
          expect(units.tryTake()).toBe(free);
          if (free) running++;
          else {
            const waiter = new Waiter(`${i}`, got);
            const fits = queued() < queueLimit;
            expect(units.enqueue(waiter, act === 'retry')).toBe(fits);
            if (fits) (act === 'retry' ? ahead : line).push(waiter);
          }
        } else if (act === 'probe') {
          const fits = running <= limit;
          expect(units.tryTake(1)).toBe(fits);
          if (fits) running++;
        } else if (act === 'end' && running > 0) {
          const next = running > limit ? undefined : (ahead.shift() ?? line.shift());
          units.giveBack();
          if (next === undefined) running--;
          else expect(got.at(-1)).toBe(next.name);
        } else if (act === 'leave') {
          const own = which % 2 === 0 ? ahead : line;
          const [waiter] = own.splice(which % Math.max(1, own.length), 1);
          if (waiter !== undefined) expect(units.remove(waiter)).toBe(true);
        }
        expect(units.inUse).toBe(running);
        expect(units.queued).toBe(queued());
        expect(running).toBeLessThanOrEqual(limit + 1);
        if (queued() > 0) expect(running).toBeGreaterThanOrEqual(limit);
      }
    }),
  );
});
