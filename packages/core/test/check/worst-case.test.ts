import { describe, expect, test } from '@jest/globals';
import { longestWaits, shortestWait, type WorstCase, worstCase } from '../../src/check/worst-case.js';
import { resolveConfig } from '../../src/config/resolve.js';
import type { ResolvedDependency } from '../../src/config/resolved.js';
import type { BackoffConfig, DependencyConfig } from '../../src/config/types.js';

function resolve(quotes: DependencyConfig): ResolvedDependency {
  const options = resolveConfig({ dependencies: { quotes } }).dependencies.get('quotes');
  if (options === undefined) throw new Error('quotes is missing');
  return options;
}

const worst = (quotes: DependencyConfig): WorstCase => worstCase(resolve(quotes));

describe('the worst case of an operation', () => {
  test('is every attempt at its timeout and every wait at its longest, cut by the deadline', () => {
    expect(
      worst({
        deadline: '2s',
        attempt: { timeout: '1s' },
        retry: { attempts: 4, backoff: { jitter: 'none' } },
      }),
    ).toEqual({
      dependency: 'quotes',
      attempts: 4,
      scheduleMs: 4_700,
      timeMs: 2_000,
      fullAttempts: 1,
      arithmetic: '4 x 1,000 + 700 = 4,700 ms',
    });
  });

  test('of the defaults fits their deadline', () => {
    expect(worst({})).toMatchObject({ scheduleMs: 9_300, timeMs: 9_300, fullAttempts: 3 });
  });

  test('is one attempt where nobody retries', () => {
    for (const retry of [false, { attempts: 1 }, { owner: 'above' }] as const) {
      expect(worst({ retry })).toMatchObject({ attempts: 1, arithmetic: '1 x 3,000 = 3,000 ms' });
    }
  });

  test('is the deadline where an attempt has no bound', () => {
    expect(worst({ attempt: { timeout: false } })).toMatchObject({
      scheduleMs: Number.POSITIVE_INFINITY,
      timeMs: 10_000,
      fullAttempts: 0,
    });
  });
});

describe('waits', () => {
  const of = (backoff: BackoffConfig): { longest: number[]; shortest: number } => {
    const options = resolve({ retry: { attempts: 4, backoff } });
    return { longest: longestWaits(options), shortest: shortestWait(options) };
  };

  test.each<[BackoffConfig, number[], number]>([
    [{}, [100, 200, 400], 0],
    [{ jitter: 'none' }, [100, 200, 400], 100],
    [{ jitter: 'equal' }, [100, 200, 400], 50],
    [{ jitter: 'decorrelated' }, [300, 900, 2_000], 100],
    [{ jitter: 'none', cap: 150 }, [100, 150, 150], 100],
    [{ jitter: 'none', base: 20, factor: 10 }, [20, 200, 2_000], 20],
    [{ base: 0 }, [0, 0, 0], 0],
  ])('of %j are at most %j and at least %d ms', (backoff, longest, shortest) => {
    expect(of(backoff)).toEqual({ longest, shortest });
  });

  test('of a function are unknown and count as none', () => {
    const options = resolve({ retry: { attempts: 3, backoff: () => '1s' } });
    expect([longestWaits(options), shortestWait(options)]).toEqual([[0, 0], 0]);
  });
});
