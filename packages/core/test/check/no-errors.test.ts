import { describe, expect, test } from '@jest/globals';
import type { DependencyConfig } from '../../src/config/types.js';
import { findFor, ids } from './find.js';

describe('no written option is called idle that may still take effect', () => {
  test.each<DependencyConfig>([
    { deadline: '2s' },
    { deadline: 20 },
    { attempt: { timeout: '15s' } },
    { breaker: { slow: { over: '4s' } } },
    { breaker: { slow: { over: '8s' } } },
    { breaker: { window: { calls: 3 } } },
    { breaker: { openFor: '5m' } },
    { breaker: { maxOpenFor: '1s' } },
    { retry: { backoff: { base: '10s' } } },
    { retry: { backoff: { cap: 0 } } },
    { retry: { attempts: 100 } },
    { retry: { backoff: () => '1h' } },
    { deadline: '2s', attempt: { timeout: '2s' }, retry: { attempts: 3 } },
    { deadline: false, attempt: { timeout: false } },
    { bulkhead: { wait: '5s' } },
    { bulkhead: { queue: 0 } },
    { bulkhead: { wait: 0 } },
    { retry: { owner: 'above' } },
    { retry: { budget: { ratio: 0 } } },
  ])('%j', (options) => {
    expect(ids(findFor(options)).filter((line) => line.endsWith('error'))).toEqual([]);
  });
});
