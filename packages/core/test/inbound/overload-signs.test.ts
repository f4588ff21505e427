import { beforeEach, describe, expect, it } from '@jest/globals';
import { OverloadSigns } from '../../src/inbound/overload-signs.js';

describe('signs of overload', () => {
  let signs: OverloadSigns;

  beforeEach(() => {
    signs = new OverloadSigns(10, 2.5);
  });

  /** So many turns; says after which one it was overload, 0 for none. */
  function after(turns: readonly (readonly [ownMs: number, arrivals: number, isFed: boolean])[]): number {
    for (const [i, [ownMs, arrivals, isFed]] of turns.entries()) {
      if (signs.turned({ ms: ownMs, ownMs, arrivals, isFed })) return i + 1;
    }
    return 0;
  }

  const turns = (count: number, of: (i: number) => readonly [number, number, boolean]) =>
    Array.from({ length: count }, (_, i) => of(i));

  it('are six turns that were each fed by a new connection and brought more than the one before', () => {
    expect(after(turns(20, (i) => [11, 3 + i, true]))).toBe(6);
  });

  it('are four in a row that took seven times as long as one should', () => {
    expect(after(turns(20, (i) => [20, 1 + i, true]))).toBe(4);
  });

  it('are ten fed turns that took fifteen times as long as one should, whatever each brought', () => {
    expect(after(turns(20, (i) => [20, i % 2, true]))).toBe(10);
  });

  it('are a pile of requests that stands, with nothing new to feed it', () => {
    expect(after(turns(40, () => [60, 20, false]))).toBe(5);
    signs.paused();
    expect(after(turns(100, () => [45, 15, false]))).toBe(9);
  });

  it('are seconds without one short turn, whatever came', () => {
    expect(after(turns(200, () => [50, 1, false]))).toBe(100);
  });

  it('are 400 requests without a pause, most of the time in long turns', () => {
    expect(after(turns(200, (i) => (i % 2 === 0 ? [30, 5, false] : [10, 5, false])))).toBe(81);
    signs.paused();
    expect(after(turns(200, (i) => (i % 2 === 0 ? [11, 5, false] : [10, 5, false])))).toBe(0);
  });

  it('are none of a pile that goes down by itself, as after a stall', () => {
    expect(after(turns(30, (i) => [400 * 0.8 ** i, Math.round(100 * 0.8 ** i), false]))).toBe(0);
  });

  it('are none of a single turn, however long', () => {
    expect(after([[4000, 800, true]])).toBe(0);
  });

  it('are 250 turns in a row that were each fed, long or not, where they took 50 times as long as one should', () => {
    expect(after(turns(400, () => [4, 1, true]))).toBe(250);
    signs.paused();
    expect(after(turns(249, () => [4, 1, true]))).toBe(0);
    expect(after([[4, 1, false]])).toBe(0);
    expect(after(turns(249, () => [4, 1, true]))).toBe(0);
    signs.paused();
    expect(after(turns(400, () => [1.5, 1, true]))).toBe(334);
  });

  it('are none of short turns that nobody new feeds all the time', () => {
    expect(after(turns(2000, (i) => [10, i, i % 200 > 0]))).toBe(0);
  });

  it('are forgotten when the loop pauses, and begun anew', () => {
    const rising = turns(5, (i) => [11, 3 + i, true] as const);
    expect(after(rising)).toBe(0);
    signs.paused();
    expect(after(turns(5, (i) => [11, 8 + i, true]))).toBe(0);
    expect(after([[11, 13, true]])).toBe(1);
  });

  it('lose a turn of rise to each that was not fed, and all to a brief one', () => {
    expect(after([...turns(5, (i) => [11, 3 + i, true] as const), [11, 1, false], [11, 2, true]])).toBe(0);
    expect(after([[11, 3, true]])).toBe(1);
    signs = new OverloadSigns(10, 2.5);
    expect(after([...turns(5, (i) => [11, 3 + i, true] as const), [1, 1, false], [11, 9, true]])).toBe(0);
  });

  it('are foreseen in a turn that is under way, which changes nothing', () => {
    after(turns(5, (i) => [11, 3 + i, true]));
    const turn = { ms: 11, ownMs: 11, arrivals: 7, isFed: true };
    expect(signs.areSeenWith(turn)).toBe(false);
    expect(signs.areSeenWith({ ...turn, arrivals: 8 })).toBe(true);
    expect(signs.areSeenWith({ ...turn, arrivals: 8, ownMs: 9 })).toBe(false);
    expect(signs.turned({ ...turn, arrivals: 8 })).toBe(true);
  });
});
