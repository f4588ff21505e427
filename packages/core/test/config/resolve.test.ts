import { describe, expect, test } from '@jest/globals';
import { resolveCallDeadline, resolveConfig } from '../../src/config/resolve.js';
import type { ResolvedDependency } from '../../src/config/resolved.js';
import type { DefaultsConfig, DependencyConfig } from '../../src/config/types.js';

function resolve(quotes: DependencyConfig, defaults: DefaultsConfig = {}): ResolvedDependency {
  const dependency = resolveConfig({ defaults, dependencies: { quotes } }).dependencies.get('quotes');
  if (dependency === undefined) throw new Error('quotes is missing');
  return dependency;
}

describe('the built-in defaults', () => {
  test('make a complete policy of a base URL', () => {
    expect(resolve({ baseUrl: 'http://quotes.internal' })).toEqual({
      name: 'quotes',
      baseUrl: new URL('http://quotes.internal'),
      deadlineMs: 10_000,
      attempt: { timeoutMs: 3_000, minMs: 50, connectMs: undefined },
      retry: {
        attempts: 3,
        backoff: { baseMs: 100, factor: 2, capMs: 2_000, jitter: 'full' },
        budget: {
          ratio: 0.2,
          windowMs: 10_000,
          minPerSecond: 1,
          concurrent: { ratio: 0.2, min: 3 },
          key: false,
          maxKeys: 1_000,
          mode: 'enforce',
        },
        maxRetryAfterMs: 30_000,
        owner: 'here',
        statuses: undefined,
      },
      breaker: {
        window: { ms: 30_000 },
        minCalls: 20,
        failureRate: 0.5,
        consecutive: 10,
        slow: undefined,
        openForMs: 5_000,
        maxOpenForMs: 60_000,
        jitter: 0.2,
        probes: { count: 3, rate: undefined },
        observes: 'attempts',
        scope: 'dependency',
        maxKeys: 1_000,
        waitMs: 0,
        statuses: undefined,
        mode: 'enforce',
      },
      bulkhead: { concurrent: 50, queue: 50, waitMs: 500, detachAfterMs: 30_000, mode: 'enforce' },
      fallback: undefined,
      classify: undefined,
      propagate: true,
      idempotencyKey: true,
      client: {},
    });
  });

  test('make a complete gate of nothing', () => {
    const { inbound, strict, service } = resolveConfig({});
    expect({ inbound, strict, service }).toEqual({
      service: 'app',
      strict: true,
      inbound: {
        deadline: {
          defaultMs: 30_000,
          maxMs: 60_000,
          marginMs: 20,
          headers: [],
          onMalformed: 'ignore',
          covers: 'headers',
          mode: 'enforce',
        },
        concurrency: {
          limit: { kind: 'loop', turnMs: 10, min: 1, max: 1_000 },
          queue: { size: 0, order: 'fifo', waitMs: 500 },
          shares: {},
          mode: 'enforce',
        },
        trusts: inbound.trusts,
        onDisconnect: undefined,
        detachAfterMs: 30_000,
      },
    });
    expect(inbound.trusts('127.0.0.1')).toBe(false);
  });
});

describe('a default gives way to what was written', () => {
  test('an attempt is no longer than a written deadline, and a retry needs no more than an attempt', () => {
    expect(resolve({ deadline: '2s' }).attempt.timeoutMs).toBe(2_000);
    expect(resolve({ deadline: 20 }).attempt).toEqual({ timeoutMs: 20, minMs: 20, connectMs: undefined });
    expect(resolve({ attempt: { timeout: 30 } }).attempt.minMs).toBe(30);
    expect(resolve({ deadline: 200 }).bulkhead?.waitMs).toBe(200);
  });

  test('a deadline is no shorter than a written attempt', () => {
    expect(resolve({ attempt: { timeout: '15s' } }).deadlineMs).toBe(15_000);
    expect(resolve({ attempt: { timeout: false } })).toMatchObject({
      deadlineMs: 10_000,
      attempt: { timeoutMs: Number.POSITIVE_INFINITY, minMs: 50 },
    });
    expect(resolve({ deadline: false })).toMatchObject({
      deadlineMs: Number.POSITIVE_INFINITY,
      attempt: { timeoutMs: 3_000 },
    });
  });

  test('an attempt leaves room for a written slow rule, connect bound and least time', () => {
    expect(resolve({ breaker: { slow: { over: '4s' } } }).attempt.timeoutMs).toBe(8_000);
    expect(resolve({ breaker: { slow: { over: '4s' }, observes: 'operations' } }).attempt.timeoutMs).toBe(
      3_000,
    );
    expect(resolve({ attempt: { connect: '4s' } }).attempt).toMatchObject({
      timeoutMs: 4_000,
      connectMs: 4_000,
    });
    expect(resolve({ attempt: { min: '5s' } }).attempt).toMatchObject({ timeoutMs: 5_000, minMs: 5_000 });
    expect(resolve({ breaker: { slow: { over: '8s' } } })).toMatchObject({
      deadlineMs: 16_000,
      attempt: { timeoutMs: 16_000 },
    });
    expect(resolve({ deadline: '5s', breaker: { slow: { over: '4s' } } }).attempt.timeoutMs).toBe(5_000);
  });

  test('rates are judged from no more calls than a written count window holds', () => {
    expect(resolve({ breaker: { window: { calls: 8 } } }).breaker).toMatchObject({
      window: { calls: 8 },
      minCalls: 8,
      consecutive: 10,
    });
    expect(resolve({ breaker: { window: '1m' } }).breaker).toMatchObject({
      window: { ms: 60_000 },
      minCalls: 20,
    });
  });

  test('open times and backoff times fit each other', () => {
    expect(resolve({ breaker: { openFor: '90s' } }).breaker?.maxOpenForMs).toBe(90_000);
    expect(resolve({ breaker: { maxOpenFor: '2s' } }).breaker?.openForMs).toBe(2_000);
    expect(resolve({ retry: { backoff: { base: '5s' } } }).retry?.backoff).toMatchObject({ capMs: 5_000 });
    expect(resolve({ retry: { backoff: { cap: '10ms' } } }).retry?.backoff).toMatchObject({ baseMs: 10 });
  });

  test('inbound deadlines and limits fit each other', () => {
    const { inbound } = resolveConfig({
      inbound: { deadline: { max: '50ms' }, concurrency: { limit: { kind: 'vegas', max: 10 } } },
    });
    expect(inbound.deadline).toMatchObject({ defaultMs: 50, maxMs: 50, marginMs: 10 });
    expect(inbound.concurrency?.limit).toEqual({ kind: 'vegas', initial: 10, min: 2, max: 10, smoothing: 1 });
    const high = resolveConfig({
      inbound: { deadline: { default: '2m' }, concurrency: { limit: { kind: 'loop', min: 2_000 } } },
    }).inbound;
    expect(high.deadline.maxMs).toBe(120_000);
    expect(high.concurrency?.limit).toMatchObject({ min: 2_000, max: 2_000 });
  });
});

describe('a written value is never changed', () => {
  test('even where it contradicts another', () => {
    const written = resolve({
      deadline: '1s',
      attempt: { timeout: '2s', min: '3s', connect: '4s' },
      retry: { backoff: { base: '2s', cap: '1s' } },
      breaker: { window: { calls: 5 }, minCalls: 6, openFor: '2s', maxOpenFor: '1s', slow: { over: '5s' } },
      bulkhead: { wait: '9s' },
    });
    expect(written).toMatchObject({
      deadlineMs: 1_000,
      attempt: { timeoutMs: 2_000, minMs: 3_000, connectMs: 4_000 },
      retry: { backoff: { baseMs: 2_000, capMs: 1_000 } },
      breaker: { minCalls: 6, openForMs: 2_000, maxOpenForMs: 1_000, slow: { overMs: 5_000 } },
      bulkhead: { waitMs: 9_000 },
    });
  });
});

test('a backoff function answers in milliseconds and is refused by name when it does not', () => {
  const answers: unknown[] = ['1.5s', 20, 'soon', Number.NaN];
  const backoff = resolve({ retry: { backoff: () => answers.shift() as number } }).retry?.backoff;
  if (typeof backoff !== 'function') throw new Error('not a function');
  const next = (): number => backoff({ retry: 1, kind: 'reset' });
  expect([next(), next()]).toEqual([1_500, 20]);
  expect(next).toThrow(/retry\.backoff\(\): 'soon' is no duration/);
  expect(next).toThrow(/retry\.backoff\(\): NaN is no duration/);
});

describe('short forms', () => {
  test('of limits, queues, fallbacks, probes and open breakers', () => {
    const run = (): null => null;
    const config = resolveConfig({
      inbound: { concurrency: 20, deadline: { headers: [{ header: 'X-Left', unit: 's' }] } },
      dependencies: {
        quotes: {
          fallback: run,
          breaker: { probes: { count: 5, rate: 0.4 }, whenOpen: { wait: '3s' }, failureRate: false },
        },
        orders: { fallback: { run, timeout: '2s', mark: false } },
      },
    });
    expect(config.inbound.concurrency?.limit).toEqual({ kind: 'fixed', limit: 20 });
    expect(config.inbound.deadline.headers).toEqual([{ header: 'x-left', unit: 's' }]);
    expect(config.dependencies.get('quotes')).toMatchObject({
      fallback: { run, timeoutMs: 1_000, mark: true },
      breaker: { probes: { count: 5, rate: 0.4 }, waitMs: 3_000, failureRate: undefined },
    });
    expect(config.dependencies.get('orders')?.fallback).toEqual({ run, timeoutMs: 2_000, mark: false });
  });

  test('false leaves the gate out', () => {
    expect(resolveConfig({ inbound: { concurrency: false } }).inbound.concurrency).toBeUndefined();
  });

  test('every kind of limit has its defaults', () => {
    const limit = (kind: 'loop' | 'aimd' | 'gradient'): unknown =>
      resolveConfig({ inbound: { concurrency: { limit: { kind } } } }).inbound.concurrency?.limit;
    expect([limit('loop'), limit('aimd'), limit('gradient')]).toEqual([
      { kind: 'loop', turnMs: 10, min: 1, max: 1_000 },
      { kind: 'aimd', initial: 200, min: 2, max: 1_000, backoffRatio: 0.9, timeoutMs: 5_000 },
      { kind: 'gradient', initial: 200, min: 2, max: 1_000, smoothing: 0.2, tolerance: 1.5 },
    ]);
  });
});

test('what was resolved does not follow later changes of what was written', () => {
  const client = { headers: {} };
  const quotes = { client, retry: { statuses: [503] } };
  const dependency = resolve(quotes);
  quotes.retry.statuses.push(500);
  Object.assign(client, { decompress: false });
  expect(dependency.retry?.statuses).toEqual([503]);
  expect(dependency.client).toEqual({ headers: {} });
  expect([dependency, dependency.retry, dependency.breaker, dependency.attempt].every(Object.isFrozen)).toBe(
    true,
  );
});

test("a call's own deadline is in ms, 0 when its time is up, and refused when it is none", () => {
  expect(resolveCallDeadline('1.5s')).toBe(1_500);
  expect(resolveCallDeadline(250)).toBe(250);
  expect(resolveCallDeadline(0)).toBe(0);
  expect(resolveCallDeadline(-12.5)).toBe(0);
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 'soon' as '1s']) {
    expect(() => resolveCallDeadline(bad)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  }
});
