import { describe, expect, test } from '@jest/globals';
import { resolveConfig } from '../../src/config/resolve.js';
import type { ResolvedDependency } from '../../src/config/resolved.js';
import type { DefaultsConfig, DependencyConfig } from '../../src/config/types.js';

function resolve(quotes: DependencyConfig, defaults: DefaultsConfig = {}): ResolvedDependency {
  const dependency = resolveConfig({ defaults, dependencies: { quotes } }).dependencies.get('quotes');
  if (dependency === undefined) throw new Error('quotes is missing');
  return dependency;
}

describe('defaults of the application', () => {
  test('stand under the own options of each dependency, part by part', () => {
    const dependency = resolve(
      { attempt: { min: 10 }, retry: { backoff: { cap: '1s' }, budget: { concurrent: { min: 9 } } } },
      {
        attempt: { timeout: '1s', min: 20 },
        retry: { attempts: 5, backoff: { base: 50 }, budget: { ratio: 0.1, concurrent: { ratio: 0.3 } } },
        breaker: { probes: 1 },
        classify: () => 'success',
      },
    );
    expect(dependency).toMatchObject({
      attempt: { timeoutMs: 1_000, minMs: 10 },
      retry: {
        attempts: 5,
        backoff: { baseMs: 50, capMs: 1_000, factor: 2 },
        budget: { ratio: 0.1, concurrent: { ratio: 0.3, min: 9 } },
      },
      breaker: { probes: { count: 1 } },
      bulkhead: { concurrent: 50 },
    });
    expect(dependency.classify).toBeInstanceOf(Function);
  });

  test('give way to what a dependency says itself, as built-in defaults do', () => {
    const dependency = resolve(
      { deadline: 500, breaker: { window: { calls: 5 }, maxOpenFor: '1s' }, retry: { backoff: { cap: 10 } } },
      {
        attempt: { timeout: '1s', connect: '600ms' },
        breaker: { minCalls: 10, openFor: '2s' },
        retry: { backoff: { base: 100 } },
        bulkhead: { wait: '2s' },
      },
    );
    expect(dependency).toMatchObject({
      deadlineMs: 500,
      attempt: { timeoutMs: 500, minMs: 50, connectMs: 500 },
      breaker: { minCalls: 5, openForMs: 1_000 },
      retry: { backoff: { baseMs: 10 } },
      bulkhead: { waitMs: 500 },
    });
  });

  test('are left out by false and brought back by an object', () => {
    const off = { retry: false, breaker: false, bulkhead: false } as const;
    expect(resolve({}, off)).toMatchObject({ retry: undefined, breaker: undefined, bulkhead: undefined });
    expect(resolve(off, { retry: { attempts: 2 }, breaker: {}, bulkhead: {} })).toMatchObject({
      retry: undefined,
      breaker: undefined,
      bulkhead: undefined,
    });
    expect(resolve({ retry: { attempts: 2 }, breaker: {}, bulkhead: {} }, off)).toMatchObject({
      retry: { attempts: 2, budget: { ratio: 0.2 } },
      breaker: { minCalls: 20 },
      bulkhead: { queue: 50 },
    });
    expect(
      resolve(
        { retry: { budget: {} }, breaker: { slow: { over: 100 } } },
        { retry: { budget: false }, breaker: { slow: false } },
      ),
    ).toMatchObject({
      retry: { budget: { windowMs: 10_000 } },
      breaker: { slow: { overMs: 100, rate: 0.5 } },
    });
    expect(resolve({ retry: { budget: { concurrent: false } } }).retry?.budget?.concurrent).toBeUndefined();
  });

  test('are not hidden by an undefined', () => {
    const gaps = {
      deadline: undefined,
      retry: { attempts: undefined, budget: { concurrent: { min: undefined } } },
    };
    expect(resolve(gaps as object, { deadline: '1s', retry: { attempts: 5 } })).toMatchObject({
      deadlineMs: 1_000,
      retry: { attempts: 5, budget: { concurrent: { ratio: 0.2, min: 3 } } },
    });
  });

  test("join got's options one by one, and headers whatever their case", () => {
    expect(
      resolve(
        { client: { headers: { 'X-Api': 'b' }, followRedirect: true } },
        { client: { headers: { 'x-api': 'a', accept: 'text/plain' }, decompress: false } },
      ).client,
    ).toEqual({
      headers: { 'x-api': 'b', accept: 'text/plain' },
      followRedirect: true,
      decompress: false,
    });
  });

  test('replace a backoff function as a whole, and the other way round', () => {
    const fixed = (): 40 => 40;
    expect(
      resolve({ retry: { backoff: { base: 5 } } }, { retry: { backoff: fixed } }).retry?.backoff,
    ).toEqual({
      baseMs: 5,
      factor: 2,
      capMs: 2_000,
      jitter: 'full',
    });
    expect(
      resolve({ retry: { backoff: fixed } }, { retry: { backoff: { base: 5 } } }).retry?.backoff,
    ).toBeInstanceOf(Function);
  });
});
