import { describe, expect, test } from '@jest/globals';
import type { SavedBreaker } from '../../src/algorithms/breaker.js';
import { isSpillwayError } from '../../src/call/errors.js';
import { Bench } from './breaker-set-up.js';

const ONE = { consecutive: 1, probes: { count: 1, rate: undefined } };
const WALL = 1_767_225_600_000;

function throughJson(saved: SavedBreaker): SavedBreaker {
  return JSON.parse(JSON.stringify(saved)) as SavedBreaker;
}

function caught(act: () => void): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('saving and restoring', () => {
  test('an open breaker goes on being open for the time left, in a process with another clock', () => {
    const bench = new Bench(ONE);
    bench.feed('E', 1000);
    const saved = throughJson(bench.machine.export(2000, WALL));
    expect(saved).toEqual({
      version: 1,
      state: 'open',
      since: WALL - 1000,
      openUntil: WALL + 4000,
      openings: 1,
    });
    const other = new Bench(ONE);
    other.machine.restore(saved, 70_000, WALL + 1000);
    expect(other.machine.retryAfterMs(70_000)).toBe(3000);
    expect(other.machine.openedAt).toBe(68_000);
    expect(other.moves).toEqual(['70000 closed -> open for 3000']);
    expect(other.machine.isProbe(other.machine.admit(73_000))).toBe(true);
  });

  test('one that opened an hour ago takes its first call as probe, and a good one closes it', () => {
    const bench = new Bench(ONE);
    bench.feed('E', 0);
    const other = new Bench(ONE);
    other.machine.restore(throughJson(bench.machine.export(0, WALL)), 0, WALL + 3_600_000);
    expect(other.machine.state(0)).toBe('half-open');
    expect(other.feed('S', 0)).toEqual(['closed']);
    expect(other.machine.export(0, WALL).state).toBe('closed');
  });

  test('a half-open one has all of its places again', () => {
    const bench = new Bench({ consecutive: 1 });
    bench.feed('E', 0);
    bench.admit(2, 5000);
    const other = new Bench({ consecutive: 1 });
    other.machine.restore(throughJson(bench.machine.export(5000, WALL)), 0, WALL);
    expect(other.machine.state(0)).toBe('half-open');
    expect(other.admit(5, 0).filter((ticket) => ticket < 0).length).toBe(3);
  });

  test('one that is restored while its own probes run begins again, starved of none of them', () => {
    const { machine } = new Bench({ consecutive: 1 });
    const saved: SavedBreaker = { version: 1, state: 'half-open', since: WALL, openUntil: null, openings: 1 };
    machine.restore(saved, 10_000, WALL);
    expect([machine.starved(14_999), machine.starved(15_000)]).toEqual([false, true]);
    const tickets = [1, 2, 3, 4].map(() => machine.admit(15_000));
    expect(tickets.map((ticket) => machine.isProbe(ticket))).toEqual([true, true, true, false]);
    machine.restore(saved, 15_001, WALL);
    expect(machine.isProbe(machine.admit(15_001))).toBe(true);
    machine.record(tickets[0] ?? 0, 'failure', 1, 15_002);
    expect(machine.state(15_002)).toBe('half-open');
  });

  test('doubling goes on where it was', () => {
    const bench = new Bench(ONE);
    bench.feed('E', 0);
    bench.feed('E', 5000);
    const other = new Bench(ONE);
    other.machine.restore(throughJson(bench.machine.export(5000, WALL)), 0, WALL);
    other.feed('E', 10_000);
    expect(other.moves.at(-1)).toBe('10000 half-open -> open for 20000');
  });

  test('time closed before counts towards the full window that ends the doubling', () => {
    const bench = new Bench({ ...ONE, window: { ms: 30_000 } });
    bench.feed('E', 0);
    bench.feed('S', 5000);
    const saved = throughJson(bench.machine.export(25_000, WALL));
    const soon = new Bench(ONE);
    soon.machine.restore(saved, 0, WALL);
    soon.feed('E', 9999);
    expect(soon.moves.at(-1)).toBe('9999 closed -> open for 10000');
    const late = new Bench(ONE);
    late.machine.restore(saved, 0, WALL);
    late.feed('E', 10_000);
    expect(late.moves.at(-1)).toBe('10000 closed -> open for 5000');
  });

  test.each(['forced-open', 'disabled'] as const)('%s stays so', (state) => {
    const bench = new Bench();
    if (state === 'disabled') bench.machine.disable(0);
    else bench.machine.forceOpen(0);
    const other = new Bench();
    other.machine.restore(throughJson(bench.machine.export(100, WALL)), 7, WALL);
    expect(other.machine.state(1e9)).toBe(state);
    expect(other.moves).toEqual([`7 closed -> ${state}`]);
  });

  test('a lapsed lease is accounted for when saving', () => {
    const bench = new Bench({ ...ONE, leaseMs: 1000 });
    bench.feed('E', 0);
    bench.admit(1, 5000);
    expect(bench.machine.export(7000, WALL)).toMatchObject({
      state: 'open',
      openUntil: WALL + 9000,
      openings: 2,
    });
  });

  test('is one that decided, where probes have a rate', () => {
    const bench = new Bench({ consecutive: 1, probes: { count: 2, rate: 0.5 }, leaseMs: 1000 });
    bench.feed('E', 0);
    const [, good = 0] = bench.admit(2, 5000);
    bench.machine.record(good, 'success', 1, 5001);
    expect(bench.machine.export(7000, WALL)).toEqual({
      version: 1,
      state: 'open',
      since: WALL - 1000,
      openUntil: WALL + 9000,
      openings: 2,
    });
  });

  test('a wall clock that was wrong cannot keep it open beyond the maximum', () => {
    const bench = new Bench(ONE);
    bench.feed('E', 0);
    const other = new Bench(ONE);
    other.machine.restore(bench.machine.export(0, WALL + 1e12), 0, WALL);
    expect(other.machine.retryAfterMs(0)).toBe(60_000);
    expect(other.machine.openedAt).toBe(0);
  });

  test('calls from before the restoring change nothing after it', () => {
    const bench = new Bench(ONE);
    const saved = bench.machine.export(0, WALL);
    const [ticket = 0] = bench.admit(1, 0);
    bench.machine.restore(saved, 1, WALL);
    bench.machine.record(ticket, 'failure', 1, 2);
    expect(bench.machine.state(2)).toBe('closed');
  });

  const good: SavedBreaker = { version: 1, state: 'open', since: WALL, openUntil: WALL, openings: 1 };
  const OBJECT = 'an object made by export()';
  const STATE = 'closed, open, half-open, forced-open, disabled';
  const UNTIL = 'wall time in ms, or null unless open';
  const WHOLE = 'a whole number, 0 or more';
  test.each([
    [null, 'value', 'null', OBJECT],
    ['open', 'value', '"open"', OBJECT],
    [{ ...good, version: 2 }, 'version', '2', '1'],
    [{ ...good, version: undefined }, 'version', 'undefined', '1'],
    [{ ...good, state: 'ajar' }, 'state', '"ajar"', STATE],
    [{ ...good, since: 'yesterday' }, 'since', '"yesterday"', 'wall time in ms'],
    [{ ...good, openUntil: null }, 'openUntil', 'null', UNTIL],
    [{ ...good, openUntil: Number.NaN }, 'openUntil', 'null', UNTIL],
    [{ ...good, state: 'closed', openUntil: 'never' }, 'openUntil', '"never"', UNTIL],
    [{ ...good, openings: -1 }, 'openings', '-1', WHOLE],
    [{ ...good, openings: 1.5 }, 'openings', '1.5', WHOLE],
  ])('%j is refused for its %s, and leaves the breaker as it was', (saved, member, shown, expected) => {
    const bench = new Bench(ONE);
    const refusal = caught(() => bench.machine.restore(saved as SavedBreaker, 0, WALL));
    expect(isSpillwayError(refusal, 'ERR_CONFIG')).toBe(true);
    expect((refusal as Error).message).toBe(
      `restore(): ${member} of the saved breaker is ${shown}; expected ${expected}. Pass what export() returned.`,
    );
    expect(bench.machine.state(0)).toBe('closed');
    expect(bench.moves).toEqual([]);
  });
});
