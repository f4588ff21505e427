import { describe, expect, test } from '@jest/globals';
import { BreakerMachine } from '../../src/algorithms/breaker.js';
import { Bench, DEFAULTS } from './breaker-set-up.js';

const ONE = { consecutive: 1, probes: { count: 1, rate: undefined } };

describe('while open', () => {
  test('everything is refused until the open time is over, and passes exactly then', () => {
    const bench = new Bench({ ...ONE, openForMs: 10_000 });
    bench.feed('E');
    expect([1, 5000, 9999].map((now) => bench.machine.admit(now))).toEqual([0, 0, 0]);
    const ticket = bench.machine.admit(10_000);
    expect(bench.machine.isProbe(ticket)).toBe(true);
    expect(bench.moves).toEqual(['0 closed -> open for 10000', '10000 open -> half-open']);
  });

  test('refusals and stragglers neither count nor extend it', () => {
    const bench = new Bench({ ...ONE, openForMs: 10_000 });
    const stragglers = bench.admit(9, 0);
    bench.feed('E');
    stragglers.forEach((ticket, i) => {
      bench.machine.record(ticket, 'failure', 1, (i + 1) * 1000);
      expect(bench.machine.admit((i + 1) * 1000)).toBe(0);
    });
    expect(bench.machine.tally(9999).calls).toBe(0);
    expect(bench.machine.wouldProbe(10_000)).toBe(true);
    expect(bench.moves.length).toBe(1);
  });

  test('the time left is told exactly', () => {
    const bench = new Bench({ ...ONE, openForMs: 12_200 });
    bench.feed('E');
    expect(bench.machine.openedAt).toBe(0);
    expect(bench.machine.retryAfterMs(0)).toBe(12_200);
    expect(bench.machine.retryAfterMs(12_199)).toBe(1);
    expect(bench.machine.retryAfterMs(12_200)).toBe(0);
  });

  test('an open time that is over reads half-open, with no event until a call comes', () => {
    const bench = new Bench(ONE);
    bench.feed('E');
    for (let i = 0; i < 100; i++) expect(bench.machine.state(60_000)).toBe('half-open');
    expect(bench.machine.state(4999)).toBe('open');
    expect(bench.moves.length).toBe(1);
    bench.machine.admit(60_000);
    expect(bench.moves).toEqual(['0 closed -> open for 5000', '60000 open -> half-open']);
  });

  test('a refused call has a ticket that is no probe’s, and ending it changes nothing', () => {
    const bench = new Bench({ ...ONE, leaseMs: 1000 });
    const [ordinary = 0] = bench.admit(1, 0);
    bench.feed('E');
    const [probe = 0, refused = 0] = bench.admit(2, 5000);
    expect([ordinary, probe, refused].map((ticket) => bench.machine.isProbe(ticket))).toEqual([
      false,
      true,
      false,
    ]);
    const { moves } = bench;
    const before = [...moves];
    bench.machine.record(refused, 'failure', 1, 7000);
    expect(moves).toEqual(before);
  });

  test('two calls in one tick make one half-open, one probe and one refusal', () => {
    const bench = new Bench(ONE);
    bench.feed('E');
    const [first, second] = bench.admit(2, 5000);
    expect(first).toBeLessThan(0);
    expect(second).toBe(0);
    expect(bench.moves.length).toBe(2);
  });
});

describe('how long', () => {
  /** Fails `times` probes, each as soon as one may; the lengths of the open times. */
  function lengths(bench: Bench, times: number): number[] {
    bench.feed('E');
    let now = 0;
    for (let i = 0; i < times; i++) {
      now += bench.machine.retryAfterMs(now);
      bench.feed('E', now);
    }
    return bench.moves.filter((move) => move.includes(' for ')).map((move) => Number(move.split(' for ')[1]));
  }

  test('doubles with every reopening up to the maximum', () => {
    expect(lengths(new Bench(ONE), 6)).toEqual([5000, 10_000, 20_000, 40_000, 60_000, 60_000, 60_000]);
  });

  test('survives thousands of reopenings', () => {
    const bench = new Bench(ONE);
    expect(lengths(bench, 3000).at(-1)).toBe(60_000);
  });

  test.each([
    [0, 4000],
    [0.5, 5000],
    [0.75, 5500],
    [0.999999, 6000],
  ])('a draw of %p spreads it to about %p', (draw, openMs) => {
    const bench = new Bench({ ...ONE, jitter: 0.2 }, () => draw);
    expect(Math.round(lengths(bench, 0)[0] ?? 0)).toBe(openMs);
  });

  test('the spread never goes beyond the maximum', () => {
    const bench = new Bench({ ...ONE, jitter: 0.2 }, () => 0.999999);
    expect(Math.max(...lengths(bench, 8))).toBe(60_000);
  });

  test('without spread no chance is drawn', () => {
    let draws = 0;
    lengths(new Bench(ONE, () => ++draws), 3);
    expect(draws).toBe(0);
  });

  test('goes on doubling when it opens again before it was closed for a full window', () => {
    const bench = new Bench({ ...ONE, window: { ms: 1000 } });
    bench.feed('E', 0);
    bench.feed('S', 5000);
    bench.feed('E', 5999);
    expect(bench.moves.at(-1)).toBe('5999 closed -> open for 10000');
  });

  test('starts over after a full window closed', () => {
    const bench = new Bench({ ...ONE, window: { ms: 1000 } });
    bench.feed('E', 0);
    bench.feed('S', 5000);
    bench.feed('E', 6000);
    expect(bench.moves.at(-1)).toBe('6000 closed -> open for 5000');
  });

  test('in a count window, a full window is as many results before the one that trips', () => {
    const short = new Bench({ ...ONE, window: { calls: 3 } });
    short.feed('E', 0);
    short.feed('SSSE', 5000);
    expect(short.moves.at(-1)).toBe('5000 closed -> open for 10000');
    const full = new Bench({ ...ONE, window: { calls: 3 } });
    full.feed('E', 0);
    full.feed('SSSSE', 5000);
    expect(full.moves.at(-1)).toBe('5000 closed -> open for 5000');
  });
});

describe('by hand', () => {
  test('forced open refuses for good, and says to come back after an open time', () => {
    const bench = new Bench();
    bench.machine.forceOpen(10);
    expect(bench.machine.state(1e9)).toBe('forced-open');
    expect(bench.machine.admit(1e9)).toBe(0);
    expect(bench.machine.refusesNow(1e9)).toBe(true);
    expect(bench.machine.wouldProbe(1e9)).toBe(false);
    expect(bench.machine.retryAfterMs(1e9)).toBe(5000);
    expect(bench.machine.openedAt).toBe(10);
  });

  test('forced closed starts with empty windows and goes on judging', () => {
    const bench = new Bench({ consecutive: 3 });
    bench.feed('EE');
    bench.machine.forceClose(0);
    expect(bench.machine.tally(0).calls).toBe(0);
    expect(bench.feed('EE').at(-1)).toBe('closed');
    expect(bench.feed('E').at(-1)).toBe('open');
    bench.machine.forceClose(1);
    expect(bench.machine.admit(1)).toBeGreaterThan(0);
  });

  test('disabled lets everything pass and records nothing', () => {
    const bench = new Bench({ consecutive: 1 });
    bench.machine.disable(0);
    expect(bench.feed('EEEE').at(-1)).toBe('disabled');
    expect(bench.machine.tally(0).calls).toBe(0);
    expect(bench.machine.refusesNow(0)).toBe(false);
    expect(bench.machine.retryAfterMs(0)).toBe(0);
    expect(bench.machine.admitOperation(0)).toBe(0);
  });

  test('reset makes it as new: doubling, mean and last opening forgotten', () => {
    const bench = new Bench(ONE);
    bench.feed('S', 0, 40);
    bench.feed('E', 0);
    bench.feed('E', 5000);
    bench.machine.reset(6000);
    expect(bench.machine.meanSuccessMs).toBeUndefined();
    expect(bench.machine.openedAt).toBeUndefined();
    bench.feed('E', 6001);
    expect(bench.moves.at(-1)).toBe('6001 closed -> open for 5000');
  });

  test('every move begins a generation, and only a change of state is told', () => {
    const bench = new Bench();
    const { machine } = bench;
    const generations = [machine.generation];
    for (const move of [
      'forceOpen',
      'forceOpen',
      'forceClose',
      'forceClose',
      'disable',
      'reset',
      'reset',
    ] as const) {
      machine[move](0);
      generations.push(machine.generation);
    }
    expect(new Set(generations).size).toBe(8);
    expect(bench.moves).toEqual([
      '0 closed -> forced-open',
      '0 forced-open -> closed',
      '0 closed -> disabled',
      '0 disabled -> closed',
    ]);
  });

  test('nobody need listen to its moves', () => {
    const machine = new BreakerMachine({ ...DEFAULTS, ...ONE }, () => 0.5);
    machine.record(machine.admit(0), 'failure', 1, 0);
    expect([machine.state(4999), machine.state(5000)]).toEqual(['open', 'half-open']);
  });

  test('late results of calls from before change nothing', () => {
    const bench = new Bench({ consecutive: 1 });
    const [ticket = 0] = bench.admit(1, 0);
    bench.machine.forceClose(0);
    bench.machine.record(ticket, 'failure', 1, 1);
    expect(bench.machine.state(1)).toBe('closed');
    bench.feed('E', 2);
    const [probe = 0] = bench.admit(1, 5002);
    bench.machine.forceOpen(5003);
    bench.machine.record(probe, 'success', 1, 5004);
    expect(bench.machine.state(5004)).toBe('forced-open');
  });
});
