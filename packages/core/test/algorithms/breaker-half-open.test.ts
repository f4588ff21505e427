import { describe, expect, test } from '@jest/globals';
import type { BreakerMachineOptions } from '../../src/algorithms/breaker.js';
import { Bench } from './breaker-set-up.js';

/** A breaker that opened at 0 and is usable again from 5000 on. */
function opened(options: Partial<BreakerMachineOptions> = {}): Bench {
  const bench = new Bench({ consecutive: 1, ...options });
  bench.feed('E');
  return bench;
}

const PLAIN = (count: number) => ({ probes: { count, rate: undefined } });

describe('places', () => {
  test('of fifty calls in one tick as many pass as there are probes', () => {
    for (const count of [1, 3]) {
      const tickets = opened(PLAIN(count)).admit(50, 5000);
      expect(tickets.filter((ticket) => ticket < 0).length).toBe(count);
      expect(tickets.filter((ticket) => ticket === 0).length).toBe(50 - count);
    }
  });

  test('are as many in every cycle, and a cycle follows every failed probe', () => {
    const bench = opened({ ...PLAIN(2), maxOpenForMs: 5000 });
    for (let cycle = 1; cycle <= 3; cycle++) {
      const tickets = bench.admit(5, cycle * 5000);
      expect(tickets.filter((ticket) => ticket < 0).length).toBe(2);
      bench.machine.record(tickets[0] ?? 0, 'failure', 1, cycle * 5000);
      expect(bench.machine.state(cycle * 5000)).toBe('open');
      bench.machine.record(tickets[1] ?? 0, 'success', 1, cycle * 5000);
    }
    expect(bench.feed('SS', 20_000)).toEqual(['half-open', 'closed']);
  });

  test('a good probe frees none: the places are for the whole half-open time', () => {
    const bench = opened(PLAIN(3));
    const [a = 0] = bench.admit(2, 5000);
    bench.machine.record(a, 'success', 1, 5001);
    expect(bench.admit(3, 5002).filter((ticket) => ticket < 0).length).toBe(1);
  });

  test('an ignored probe gives its place back and counts for nothing', () => {
    const bench = opened(PLAIN(1));
    for (let i = 0; i < 20; i++) {
      const [ticket = 0, second] = bench.admit(2, 5000 + i);
      expect(second).toBe(0);
      bench.machine.record(ticket, 'ignored', 1, 5000 + i);
      expect(bench.machine.state(5000 + i)).toBe('half-open');
    }
    expect(bench.feed('S', 5100)).toEqual(['closed']);
  });

  test('a probe counts once, however often it is recorded', () => {
    const bench = opened(PLAIN(3));
    const [a = 0] = bench.admit(1, 5000);
    for (let i = 0; i < 5; i++) bench.machine.record(a, 'success', 1, 5000);
    expect(bench.machine.state(5000)).toBe('half-open');
    bench.machine.record(a, 'failure', 1, 5000);
    expect(bench.machine.state(5000)).toBe('half-open');
  });

  test('reading takes none', () => {
    const bench = opened(PLAIN(1));
    const { machine } = bench;
    bench.feed('I', 5000);
    for (let i = 0; i < 1000; i++) {
      expect([machine.state(5000), machine.wouldProbe(5000), machine.refusesNow(5000)]).toEqual([
        'half-open',
        true,
        false,
      ]);
      machine.retryAfterMs(5000);
      machine.tally(5000);
      machine.starved(5000);
    }
    expect(machine.isProbe(machine.admit(5000))).toBe(true);
    expect([machine.wouldProbe(5000), machine.refusesNow(5000)]).toEqual([false, true]);
  });
});

describe('a plain number of probes', () => {
  test('closes when all were good, whatever the minimum of calls', () => {
    const bench = opened({ minCalls: 100, ...PLAIN(10) });
    expect(bench.feed('S'.repeat(10), 5000).filter((state) => state === 'half-open').length).toBe(9);
    expect(bench.machine.state(5000)).toBe('closed');
  });

  test('reopens at once on the first failed or slow one', () => {
    expect(opened(PLAIN(3)).feed('SE', 5000)).toEqual(['half-open', 'open']);
    const slow = opened({ ...PLAIN(3), slow: { overMs: 100, rate: 0.5 } });
    expect(slow.feed('S', 5000, 100)).toEqual(['half-open']);
    expect(slow.feed('S', 5000, 101)).toEqual(['open']);
    expect(slow.moves.at(-1)).toBe('5000 half-open -> open for 10000');
  });

  test('a failed probe after a quiet time reopens, and a good one then closes', () => {
    const bench = new Bench({
      minCalls: 5,
      window: { ms: 10_000 },
      openForMs: 30_000,
      maxOpenForMs: 30_000,
      ...PLAIN(1),
    });
    bench.feed('EEEEE', 0);
    expect(bench.feed('E', 30_000)).toEqual(['open']);
    expect(bench.machine.retryAfterMs(30_000)).toBe(30_000);
    expect(bench.feed('S', 60_000)).toEqual(['closed']);
  });

  test('is in one state at any time while a good probe and refusals meet', () => {
    const bench = opened(PLAIN(1));
    const tickets = bench.admit(21, 5000);
    bench.machine.record(tickets[0] ?? 0, 'success', 1, 5000);
    expect(tickets.slice(1).every((ticket) => ticket === 0)).toBe(true);
    expect(bench.machine.state(5000)).toBe('closed');
    expect(bench.machine.admit(5000)).toBeGreaterThan(0);
  });
});

describe('probes with a rate', () => {
  const rated = (count: number, rate: number) => ({ probes: { count, rate } });

  test.each([
    ['ESSS', 'closed'],
    ['EESS', 'open'],
    ['SSSS', 'closed'],
    ['SEEE', 'open'],
  ])('%s of four at one half are judged after all: %s', (results, end) => {
    const states = opened({ minCalls: 1, ...rated(4, 0.5) }).feed(results, 5000);
    expect(states).toEqual(['half-open', 'half-open', 'half-open', end]);
  });

  test('slow ones are bad ones', () => {
    const bench = opened({ ...rated(2, 0.5), slow: { overMs: 100, rate: 1 } });
    bench.feed('S', 5000, 101);
    expect(bench.feed('S', 5000, 1)).toEqual(['open']);
  });

  test('a share reached exactly reopens', () => {
    expect(opened(rated(10, 0.3)).feed('EEESSSSSSS', 5000).at(-1)).toBe('open');
    expect(opened(rated(10, 0.3)).feed('EESSSSSSSS', 5000).at(-1)).toBe('closed');
  });
});

describe('a probe that never settles', () => {
  test('loses its lease and reopens as of that instant', () => {
    const bench = opened({ ...PLAIN(1), leaseMs: 7000 });
    const [probe = 0] = bench.admit(1, 5000);
    expect(bench.machine.state(11_999)).toBe('half-open');
    expect(bench.machine.state(12_000)).toBe('open');
    expect(bench.machine.retryAfterMs(13_000)).toBe(9000);
    expect(bench.machine.state(22_000)).toBe('half-open');
    expect(bench.moves.length).toBe(2);
    expect(bench.machine.isProbe(bench.machine.admit(22_000))).toBe(true);
    expect(bench.moves.slice(2)).toEqual(['12000 half-open -> open for 10000', '22000 open -> half-open']);
    bench.machine.record(probe, 'success', 1, 22_001);
    expect(bench.machine.state(22_001)).toBe('half-open');
  });

  test('is too late at the instant its lease lapses', () => {
    const bench = opened({ ...PLAIN(1), leaseMs: 7000 });
    const [probe = 0] = bench.admit(1, 5000);
    bench.machine.record(probe, 'success', 7000, 12_000);
    expect(bench.machine.state(12_000)).toBe('open');
  });

  test('is too late then where probes have a rate, too', () => {
    const bench = opened({ probes: { count: 2, rate: 0.5 }, leaseMs: 1000 });
    const [hung = 0] = bench.admit(1, 5000);
    const [good = 0] = bench.admit(1, 5900);
    bench.machine.record(hung, 'success', 1000, 6000);
    bench.machine.record(good, 'success', 1, 6001);
    expect(bench.moves.at(-1)).toBe('6001 half-open -> open for 10000');
  });

  test('is one bad result where probes have a rate', () => {
    const bench = opened({ probes: { count: 2, rate: 1 }, leaseMs: 1000 });
    const [hung = 0, good = 0] = bench.admit(2, 5000);
    bench.machine.record(good, 'success', 1, 5001);
    expect(bench.machine.state(5999)).toBe('half-open');
    expect(bench.machine.state(6000)).toBe('closed');
    expect([bench.machine.wouldProbe(6000), bench.machine.refusesNow(6000)]).toEqual([false, false]);
    expect(bench.machine.admit(8000)).toBeGreaterThan(0);
    expect(bench.moves.at(-1)).toBe('6000 half-open -> closed');
    bench.machine.record(hung, 'failure', 1, 8001);
    expect(bench.machine.tally(8001).calls).toBe(0);
  });

  test('only fills its place while others still run', () => {
    const bench = opened({ probes: { count: 3, rate: 0.5 }, leaseMs: 1000 });
    bench.admit(1, 5000);
    const [second = 0] = bench.admit(1, 5500);
    expect(bench.machine.state(6200)).toBe('half-open');
    const [third = 0] = bench.admit(1, 6200);
    expect(bench.machine.isProbe(third)).toBe(true);
    expect(bench.machine.retryAfterMs(6200)).toBe(300);
    bench.machine.record(second, 'success', 1, 6300);
    expect(bench.machine.retryAfterMs(6300)).toBe(900);
    bench.machine.record(third, 'success', 1, 6400);
    expect(bench.moves.at(-1)).toBe('6400 half-open -> closed');
  });

  test('has no say in the wait that is told once its lease has lapsed', () => {
    const bench = opened({ probes: { count: 2, rate: 1 }, leaseMs: 1000 });
    bench.admit(1, 5000);
    bench.admit(1, 5500);
    expect([5999, 6000, 6200].map((now) => bench.machine.retryAfterMs(now))).toEqual([1, 500, 300]);
  });

  test('several that hang reopen as of the one that decides', () => {
    const bench = opened({ probes: { count: 3, rate: 0.5 }, leaseMs: 1000 });
    for (const now of [5000, 5100, 5200]) bench.admit(1, now);
    expect(bench.machine.state(6199)).toBe('half-open');
    expect(bench.machine.retryAfterMs(9999)).toBe(6200 + 10_000 - 9999);
    bench.machine.admit(9999);
    expect(bench.moves.at(-1)).toBe('6200 half-open -> open for 10000');
  });

  test('the spread of the open time that follows is the same for readers and for the next call', () => {
    const draws = [0.5, 0.1, 0.9, 0.3];
    const bench = new Bench(
      { consecutive: 1, ...PLAIN(1), jitter: 0.5, leaseMs: 1000 },
      () => draws.shift() ?? 0.7,
    );
    bench.feed('E');
    bench.admit(1, 5000);
    const told = bench.machine.retryAfterMs(6000);
    expect(told).toBeCloseTo(10_000 * (1 + 0.5 * (2 * 0.1 - 1)), 9);
    for (let i = 0; i < 10; i++) expect(bench.machine.retryAfterMs(6000)).toBe(told);
    bench.machine.admit(6000);
    expect(bench.machine.retryAfterMs(6000)).toBe(told);
  });

  test('a wait is told while all places are taken: to the next lapse, at most an open time', () => {
    const bench = opened({ ...PLAIN(2), leaseMs: 60_000 });
    bench.admit(2, 5000);
    expect(bench.machine.retryAfterMs(5000)).toBe(5000);
    expect(bench.machine.retryAfterMs(64_000)).toBe(1000);
    const free = opened(PLAIN(2));
    free.admit(1, 5000);
    expect(free.machine.retryAfterMs(5000)).toBe(0);
  });
});

describe('a breaker whose place nobody takes', () => {
  test('is starved after a whole open time, counted from when the place came free', () => {
    const { machine } = opened(PLAIN(2));
    expect([machine.starved(0), machine.starved(9999), machine.starved(10_000)]).toEqual([
      false,
      false,
      true,
    ]);
    const probe = machine.admit(10_000);
    expect([machine.starved(10_001), machine.starved(15_000)]).toEqual([false, false]);
    machine.record(probe, 'success', 1, 10_500);
    expect([machine.starved(15_499), machine.starved(15_500)]).toEqual([false, true]);
  });

  test('is not starved while closed, forced open, or full', () => {
    const bench = opened({ ...PLAIN(1), leaseMs: 1e9 });
    bench.admit(1, 5000);
    expect(bench.machine.starved(1e6)).toBe(false);
    bench.machine.forceOpen(1e6);
    expect(bench.machine.starved(2e6)).toBe(false);
    bench.machine.forceClose(2e6);
    expect(bench.machine.starved(3e6)).toBe(false);
  });

  test('counts from the end of the open time that a lapsed lease led to', () => {
    const { machine } = opened({ ...PLAIN(1), leaseMs: 1000 });
    machine.admit(5000);
    expect([machine.starved(20_999), machine.starved(21_000)]).toEqual([false, true]);
  });
});
