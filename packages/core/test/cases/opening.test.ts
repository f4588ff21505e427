import { describe, expect, test } from '@jest/globals';
import { createSpillway } from '../../src/index.js';
import { bad, codesOf, good, guarded, Held, repeat } from './support/single.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a breaker', () => {
  test('C-010 refuses limits that make no sense when it is made, by the name of the option', () => {
    const wrong: readonly (readonly [option: string, value: unknown])[] = [
      ['probes', 0],
      ['probes', -1],
      ['probes', Number.NaN],
      ['probes', '3'],
      ['failureRate', 0],
      ['failureRate', 1.5],
      ['window', 0],
      ['openFor', Number.POSITIVE_INFINITY],
    ];
    for (const [option, value] of wrong) {
      const make = () => createSpillway({ dependencies: { dep: { breaker: { [option]: value } } } });
      expect(make).toThrow(`dependencies.dep.breaker.${option}`);
      expect(make).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
    }
    expect(wrong).toHaveLength(8);
  });

  test('C-011 opens once when more calls fail together than it takes', async () => {
    const { clock, dep, of } = guarded({ consecutive: 5, failureRate: false, openFor: '10s' });
    const upstream = new Held();
    const calls = Array.from({ length: 6 }, () => dep.settle(upstream.work));
    for (let i = 0; i < 6; i++) upstream.fail(i);
    await Promise.all(calls);
    expect(of('breaker.transition').map(({ to }) => to)).toEqual(['open']);
    await clock.advanceTo(9_999);
    expect(dep.breaker.state).toBe('open');
    await clock.advanceTo(10_000);
    expect(dep.breaker.state).toBe('half-open');
    await expect(dep.call(good)).resolves.toBe('fine');
  });

  test('C-012 does not stay open longer for failures of calls that began before', async () => {
    const { clock, dep, of } = guarded(
      { consecutive: 1, failureRate: false, openFor: '10s' },
      { attempt: { timeout: '20s' }, deadline: '30s' },
    );
    const stragglers = new Held();
    for (let i = 0; i < 9; i++) void dep.settle(stragglers.work);
    await dep.settle(bad);
    for (let second = 1; second <= 9; second++) {
      await clock.advanceTo(second * 1000);
      stragglers.fail(second - 1);
      await clock.advance(0);
    }
    expect(of('attempt.end')).toHaveLength(10);
    expect(of('breaker.transition').map(({ to }) => to)).toEqual(['open']);
    await clock.advanceTo(9_999);
    expect(dep.breaker.state).toBe('open');
    await clock.advanceTo(10_000);
    expect(dep.breaker.state).toBe('half-open');
  });

  test('C-013 neither waits longer for refused calls nor counts them', async () => {
    const { clock, dep, breaker } = guarded({ consecutive: 1, failureRate: 0.5, openFor: '10s' });
    await dep.settle(bad);
    for (let second = 1; second <= 9; second++) {
      await clock.advanceTo(second * 1000);
      expect(codesOf([await dep.settle(good)])).toEqual(['ERR_BREAKER_OPEN']);
    }
    expect(breaker()).toMatchObject({ calls: 0, failures: 0, retryAfterMs: 1000 });
    await clock.advanceTo(10_000);
    await expect(dep.call(good)).resolves.toBe('fine');
    expect(breaker()).toMatchObject({ state: 'closed', calls: 0, failures: 0 });
  });

  test('C-014 does not open below the minimum of calls', async () => {
    const { clock, dep } = guarded({ minCalls: 10, failureRate: 0.5, window: '30s' });
    await dep.settle(bad);
    expect(dep.breaker.state).toBe('closed');
    await repeat(8, () => dep.settle(bad));
    expect(dep.breaker.state).toBe('closed');
    await dep.settle(bad);
    expect(dep.breaker.state).toBe('open');

    dep.breaker.reset();
    await repeat(9, () => dep.settle(bad));
    await clock.advance(HOUR);
    await dep.settle(bad);
    expect(dep.breaker.state).toBe('closed');
  });

  test('C-015 opens at its threshold exactly, by a success too', async () => {
    const small = guarded({ minCalls: 3, failureRate: 0.5 }).dep;
    for (const work of [bad, bad]) await small.settle(work);
    expect(small.breaker.state).toBe('closed');
    await small.settle(good);
    expect(small.breaker.state).toBe('open');

    const half = guarded({ minCalls: 20, failureRate: 0.5 }).dep;
    await repeat(10, () => half.settle(bad));
    await repeat(9, () => half.settle(good));
    expect(half.breaker.state).toBe('closed');
    await half.settle(good);
    expect(half.breaker.state).toBe('open');

    const less = guarded({ minCalls: 20, failureRate: 0.5 }).dep;
    await repeat(9, () => less.settle(bad));
    await repeat(11, () => less.settle(good));
    expect(less.breaker.state).toBe('closed');
  });

  test('C-016 forgets what came before a gap of its window or longer', async () => {
    for (const gap of [5 * MINUTE, 5_000]) {
      const { clock, dep, breaker } = guarded({ window: '5s', minCalls: 5, failureRate: 0.5 });
      await repeat(4, () => dep.settle(bad));
      await clock.advance(gap);
      await repeat(2, () => dep.settle(bad));
      expect(breaker()).toMatchObject({ state: 'closed', calls: 2, failures: 2 });
    }
  });

  test('C-020 that opens between two attempts ends the operation at once, with the failure it had', async () => {
    const { clock, dep, now, of } = guarded(
      { consecutive: 1, failureRate: false, openFor: '10s' },
      { retry: { attempts: 4, backoff: { base: '100ms', jitter: 'none' } } },
    );
    const down = new Error('down');
    const outcome = await dep.settle(() => Promise.reject(down), { idempotent: true });
    expect(outcome.error).toMatchObject({
      code: 'ERR_UPSTREAM',
      stopped: 'breaker',
      status: 503,
      retryAfterMs: 10_000,
      headers: { 'Retry-After': '10' },
      attempts: 1,
    });
    expect((outcome.error as Error).cause).toBe(down);
    expect(of('retry.scheduled')).toEqual([]);
    expect([clock.now(), clock.pending]).toEqual([0, 0]);
    expect(now().budget).toMatchObject({ granted: 0, retrying: 0 });
  });

  test('C-022 that is ready to probe says so to whoever looks, and moves when a call comes', async () => {
    const { clock, dep, spillway, of, breaker } = guarded({
      consecutive: 1,
      failureRate: false,
      openFor: '10s',
    });
    await dep.settle(bad);
    await clock.advanceTo(60_000);
    for (let look = 0; look < 3; look++) {
      expect(breaker()).toMatchObject({ state: 'half-open', retryAfterMs: 0 });
      expect(spillway.health().reasons).toEqual([]);
    }
    expect(of('breaker.transition').map(({ to }) => to)).toEqual(['open']);
    await dep.call(good);
    expect(of('breaker.transition').map(({ to }) => to)).toEqual(['open', 'half-open', 'closed']);
  });
});
