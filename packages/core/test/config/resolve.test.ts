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

test("a call's own deadline is read in milliseconds and refused when it is none", () => {
  expect(resolveCallDeadline('1.5s')).toBe(1_500);
  expect(resolveCallDeadline(250)).toBe(250);
  for (const bad of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => resolveCallDeadline(bad)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  }
});
