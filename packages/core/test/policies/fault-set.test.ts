import { describe, expect, test } from '@jest/globals';
import type { ResolvedFault } from '../../src/policies/fault-options.js';
import { FaultSet } from '../../src/policies/fault-set.js';
import type { Clock, Timer } from '../../src/time/clock.js';
import { VirtualClock } from '../../src/time/virtual-clock.js';

const LATENCY: ResolvedFault = {
  kind: 'latency',
  share: 1,
  latencyMs: 200,
  answer: undefined,
  lastsMs: Number.POSITIVE_INFINITY,
} as ResolvedFault;

const lasting = (lastsMs: number, more: Partial<ResolvedFault> = {}) => ({ ...LATENCY, ...more, lastsMs });
const never = () => 1;

/** A clock whose timers are late: its loop is busy. */
function busyClock(): Clock & { at: number } {
  return {
    at: 0,
    now() {
      return this.at;
    },
    wall: () => 0,
    arm: () => undefined,
    disarm: () => undefined,
  } as Clock & { at: number };
}

describe('a fault', () => {
  test('is there from when it is added until it is removed', () => {
    const set = new FaultSet(new VirtualClock());
    expect(set.empty).toBe(true);
    const active = set.add(LATENCY, () => undefined);
    expect([set.empty, set.has(active)]).toEqual([false, true]);
    set.remove(active);
    expect([set.empty, set.has(active)]).toEqual([true, false]);
  });

  test('ends at its time, says so once, and leaves no timer', async () => {
    const clock = new VirtualClock();
    const set = new FaultSet(clock);
    let ended = 0;
    const active = set.add(lasting(100), () => ended++);
    await clock.advance(99);
    expect([set.has(active), ended]).toEqual([true, 0]);
    await clock.advance(1);
    expect([set.empty, ended, clock.pending]).toEqual([true, 1, 0]);
  });

  test('without an end arms no timer, and one that is removed takes its own along', () => {
    const clock = new VirtualClock();
    const set = new FaultSet(clock);
    set.add(LATENCY, () => undefined);
    expect(clock.pending).toBe(0);
    const active = set.add(lasting(100), () => undefined);
    expect(clock.pending).toBe(1);
    set.remove(active);
    expect(clock.pending).toBe(0);
  });

  test('keeps no process alive', () => {
    const timers: Timer[] = [];
    const set = new FaultSet({ ...busyClock(), arm: (timer) => timers.push(timer) });
    set.add(lasting(100), () => undefined);
    expect(timers.map(({ keepAlive }) => keepAlive)).toEqual([false]);
  });

  test('is over at its time although its timer is late', () => {
    const clock = busyClock();
    const set = new FaultSet(clock);
    const active = set.add(lasting(100), () => undefined);
    clock.at = 99;
    expect([set.has(active), set.strike(never), set.snapshot(99).length]).toEqual([true, active, 1]);
    clock.at = 100;
    expect([set.has(active), set.strike(never), set.snapshot(100)]).toEqual([false, undefined, []]);
  });

  test('goes with all the others when they are cleared', () => {
    const clock = new VirtualClock();
    const set = new FaultSet(clock);
    for (let i = 0; i < 3; i++) set.add(lasting(100), () => undefined);
    set.clear();
    expect([set.empty, clock.pending]).toEqual([true, 0]);
  });
});

describe('an attempt suffers', () => {
  test('the oldest fault whose share it falls into, which counts it', () => {
    const set = new FaultSet(new VirtualClock());
    const [half, all] = [{ ...LATENCY, share: 0.5 }, LATENCY].map((fault) => set.add(fault, () => undefined));
    expect(set.strike(() => 0.49)).toBe(half);
    expect(set.strike(() => 0.5)).toBe(all);
    expect(set.strike(() => 0.1)).toBe(half);
    expect([half?.struck, all?.struck]).toEqual([2, 1]);
  });

  test('one that befalls all without a throw of the die', () => {
    const set = new FaultSet(new VirtualClock());
    const all = set.add(LATENCY, () => undefined);
    let thrown = 0;
    expect(set.strike(() => ++thrown)).toBe(all);
    expect(thrown).toBe(0);
  });

  test('none that is over, and the next one in its place', () => {
    const clock = busyClock();
    const set = new FaultSet(clock);
    set.add(lasting(10), () => undefined);
    const next = set.add(LATENCY, () => undefined);
    clock.at = 10;
    expect(set.strike(never)).toBe(next);
  });
});

describe('what is told of a fault', () => {
  test.each<[string, ResolvedFault['answer'], string | undefined, number | undefined]>([
    ['latency alone', undefined, undefined, undefined],
    ['a status', { status: 503 } as ResolvedFault['answer'], undefined, 503],
    ['the code of an error', { code: 'ECONNRESET' } as ResolvedFault['answer'], 'ECONNRESET', undefined],
    [
      'the name of an error',
      { error: new TypeError('secret') } as ResolvedFault['answer'],
      'TypeError',
      undefined,
    ],
  ])('is %s', (_, answer, error, status) => {
    const set = new FaultSet(new VirtualClock());
    set.add(lasting(100, { answer, share: 0.25 }), () => undefined);
    set.strike(() => 0);
    expect(set.snapshot(40)).toStrictEqual([
      { kind: 'latency', share: 0.25, latencyMs: 200, status, error, leftMs: 60, struck: 1 },
    ]);
  });

  test('has no end where there is none', () => {
    const set = new FaultSet(new VirtualClock());
    set.add(LATENCY, () => undefined);
    expect(set.snapshot(40)).toMatchObject([{ leftMs: undefined, struck: 0 }]);
  });
});
