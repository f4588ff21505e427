import { describe, expect, test } from '@jest/globals';
import { Bench } from './breaker-set-up.js';

describe('the rate', () => {
  test('is not judged below the minimum of calls', () => {
    const bench = new Bench({ window: { calls: 10 }, minCalls: 10 });
    expect(bench.feed('SSEE').at(-1)).toBe('closed');
    const few = new Bench({ minCalls: 100, window: { calls: 100 } });
    expect(few.feed('E'.repeat(99)).at(-1)).toBe('closed');
    expect(few.feed('E').at(-1)).toBe('open');
  });

  test('opens on a success that brings the sample up to the minimum', () => {
    const bench = new Bench({ window: { ms: 20_000 }, minCalls: 5 });
    expect(bench.feed('EEESS')).toEqual(['closed', 'closed', 'closed', 'closed', 'open']);
    expect(new Bench({ minCalls: 3 }).feed('EES').at(-1)).toBe('open');
  });

  test.each([
    ['E'.repeat(50) + 'S'.repeat(50), 'open'],
    ['E'.repeat(49) + 'S'.repeat(51), 'closed'],
  ])('of a hundred calls, reached exactly it opens, a hair below it does not', (results, state) => {
    const bench = new Bench({ window: { calls: 100 }, minCalls: 100 });
    expect(bench.feed(results).at(-1)).toBe(state);
  });

  test('needs no more calls than a count window holds', () => {
    const bench = new Bench({ window: { calls: 10 }, minCalls: 100 });
    expect(bench.feed('EEEEEEEEE').at(-1)).toBe('closed');
    expect(bench.feed('E').at(-1)).toBe('open');
  });

  test('goes by the window alone: old failures are forgotten', () => {
    const bench = new Bench({ window: { ms: 5000 }, minCalls: 5 });
    bench.feed('EEEE', 0);
    expect(bench.feed('EE', 5000).at(-1)).toBe('closed');
    expect(bench.machine.tally(5000)).toMatchObject({ calls: 2, failures: 2 });
    const idle = new Bench({ minCalls: 10 });
    idle.feed('EEEEEEEEE', 0);
    expect(idle.feed('E', 3_600_000).at(-1)).toBe('closed');
  });

  test('can be left out', () => {
    const bench = new Bench({ failureRate: undefined, minCalls: 1 });
    expect(bench.feed('E'.repeat(100)).at(-1)).toBe('closed');
  });
});

describe('the slow share', () => {
  const slow = { overMs: 4000, rate: 0.5 };

  test('opens when it is reached, by calls that took strictly longer', () => {
    const bench = new Bench({ minCalls: 5, slow });
    bench.feed('SS', 0, 4001);
    bench.feed('SS', 0, 4000);
    expect(bench.machine.state(0)).toBe('closed');
    expect(bench.feed('S', 0, 9000)).toEqual(['open']);
  });

  test('does not count calls of exactly the limit', () => {
    const bench = new Bench({ minCalls: 5, slow });
    expect(bench.feed('SSSSSSSSSS', 0, 4000).at(-1)).toBe('closed');
    expect(bench.machine.tally(0).slow).toBe(0);
  });

  test('counts slow failures too', () => {
    const bench = new Bench({ minCalls: 4, failureRate: undefined, slow });
    bench.feed('SS', 0, 1);
    expect(bench.feed('EE', 0, 5000)).toEqual(['closed', 'open']);
  });

  test('nothing is slow without the rule', () => {
    const bench = new Bench({ minCalls: 1 });
    expect(bench.feed('SSS', 0, 1e9).at(-1)).toBe('closed');
    expect(bench.machine.tally(0).slow).toBe(0);
  });
});

describe('failures in a row', () => {
  const row = { consecutive: 3, failureRate: undefined };

  test('open the breaker whatever the minimum of calls', () => {
    expect(new Bench(row).feed('EEE')).toEqual(['closed', 'closed', 'open']);
  });

  test('are broken by a success, a slow one too', () => {
    const bench = new Bench({ ...row, slow: { overMs: 10, rate: 1 } });
    bench.feed('EE');
    bench.feed('S', 0, 500);
    expect(bench.feed('EE').at(-1)).toBe('closed');
    expect(bench.machine.tally(0).slow).toBe(1);
    expect(bench.feed('E').at(-1)).toBe('open');
  });

  test('are not broken by what is ignored', () => {
    expect(new Bench(row).feed('EIEIE').at(-1)).toBe('open');
  });

  test('count only while all of them are younger than the window', () => {
    const bench = new Bench({ ...row, window: { ms: 1000 } });
    bench.feed('EE', 0);
    expect(bench.feed('E', 1000).at(-1)).toBe('closed');
    expect(bench.feed('E', 1500).at(-1)).toBe('closed');
    expect(bench.feed('E', 1999).at(-1)).toBe('open');
  });

  test('have no age in a count window', () => {
    const bench = new Bench({ ...row, window: { calls: 10 } });
    bench.feed('EE', 0);
    expect(bench.feed('E', 1e9).at(-1)).toBe('open');
  });

  test('one is enough when one is asked for', () => {
    expect(new Bench({ ...row, consecutive: 1 }).feed('SE')).toEqual(['closed', 'open']);
  });
});

describe('what is recorded', () => {
  test('ignored results change nothing at all', () => {
    const bench = new Bench({ minCalls: 1 });
    bench.feed('IIIII');
    expect(bench.machine.tally(0).calls).toBe(0);
    expect(bench.moves).toEqual([]);
  });

  test('results of an earlier generation change nothing, in any later state', () => {
    const bench = new Bench({ consecutive: 2, probes: { count: 1, rate: undefined } });
    const late = bench.admit(4, 0);
    bench.feed('EE', 0);
    for (const ticket of late.slice(0, 2)) bench.machine.record(ticket, 'failure', 1, 3000);
    expect(bench.machine.retryAfterMs(3000)).toBe(2000);
    bench.feed('S', 5000);
    expect(bench.machine.state(5000)).toBe('closed');
    for (const ticket of late.slice(2)) bench.machine.record(ticket, 'failure', 1, 5000);
    expect(bench.machine.tally(5000).calls).toBe(0);
    expect(bench.machine.state(5000)).toBe('closed');
  });

  test('more failures at once than needed make one opening', () => {
    const bench = new Bench({ consecutive: 5 });
    for (const ticket of bench.admit(6, 0)) bench.machine.record(ticket, 'failure', 1, 0);
    expect(bench.moves).toEqual(['0 closed -> open for 5000']);
    expect(bench.machine.wouldProbe(5000)).toBe(true);
  });

  test('a refusal has no ticket, and recording it changes nothing', () => {
    const bench = new Bench({ consecutive: 1 });
    bench.feed('E');
    const [ticket] = bench.admit(1, 10);
    expect(ticket).toBe(0);
    bench.machine.record(0, 'failure', 1, 10);
    bench.machine.record(0, 'success', 1, 10);
    expect(bench.machine.retryAfterMs(10)).toBe(4990);
  });

  test('the mean of successes stays what it was when the window holds none', () => {
    const bench = new Bench({ window: { ms: 1000 }, consecutive: 2 });
    expect(bench.machine.meanSuccessMs).toBeUndefined();
    bench.feed('E', 0, 900);
    expect(bench.machine.meanSuccessMs).toBeUndefined();
    bench.feed('S', 0, 10);
    bench.feed('S', 0, 30);
    bench.feed('E', 0, 900);
    expect(bench.machine.meanSuccessMs).toBe(20);
    bench.feed('E', 5000, 900);
    expect(bench.machine.meanSuccessMs).toBe(20);
    bench.feed('S', 5001, 50);
    expect(bench.machine.meanSuccessMs).toBe(50);
  });
});

describe('the window of operations', () => {
  const both = { operationsWindow: true, minCalls: 2, consecutive: 2 };

  test('may trip by itself', () => {
    const bench = new Bench(both);
    for (let i = 0; i < 2; i++) {
      const generation = bench.machine.admitOperation(0);
      bench.feed('SSS');
      bench.machine.recordOperation(generation, 'failure', 1, 0);
    }
    expect(bench.machine.tally(0).calls).toBe(0);
    expect(bench.moves).toEqual(['0 closed -> open for 5000']);
  });

  test('has its own counts, slow ones included, and no part in failures in a row', () => {
    const bench = new Bench({ ...both, minCalls: 9, slow: { overMs: 100, rate: 1 } });
    for (const result of ['failure', 'failure', 'success', 'ignored'] as const) {
      bench.machine.recordOperation(bench.machine.admitOperation(0), result, 500, 0);
    }
    expect(bench.machine.operationTally(0)).toMatchObject({ calls: 3, failures: 2, slow: 3 });
    expect(bench.machine.tally(0).calls).toBe(0);
    expect(bench.machine.state(0)).toBe('closed');
  });

  test('knows only operations that began in the generation that still lasts', () => {
    const bench = new Bench(both);
    const before = bench.machine.admitOperation(0);
    bench.feed('EE');
    const whileOpen = bench.machine.admitOperation(10);
    expect(whileOpen).toBe(0);
    for (const generation of [before, whileOpen]) bench.machine.recordOperation(generation, 'failure', 1, 20);
    bench.machine.forceClose(30);
    for (const generation of [before, whileOpen]) bench.machine.recordOperation(generation, 'failure', 1, 40);
    expect(bench.machine.operationTally(40)?.calls).toBe(0);
  });

  test('does not exist unless asked for', () => {
    const bench = new Bench({ minCalls: 1 });
    bench.machine.recordOperation(bench.machine.admitOperation(0), 'failure', 1, 0);
    expect(bench.machine.operationTally(0)).toBeUndefined();
    expect(bench.machine.state(0)).toBe('closed');
  });
});
