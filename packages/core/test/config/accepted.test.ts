import { expect, test } from '@jest/globals';
import { resolveConfig } from '../../src/config/resolve.js';
import type { SpillwayConfig } from '../../src/config/types.js';

test('a configuration with every option in its range is accepted', () => {
  const config: SpillwayConfig = {
    service: 'storefront',
    strict: false,
    idempotency: { secret: 'hush' },
    check: { ignore: [{ id: 'SW101', reason: 'measured' }] },
    inbound: {
      deadline: {
        default: '30s',
        max: '60s',
        margin: 0,
        headers: [{ header: 'X-Time-Left', unit: 's' }],
        onMalformed: 'reject',
        covers: 'response',
        mode: 'observe',
      },
      concurrency: {
        limit: { kind: 'gradient', initial: 10, min: 1, max: 20, smoothing: 0.2, tolerance: 2 },
        queue: { size: 10, order: 'adaptive', wait: '100ms' },
        shares: { critical_plus: 0.5, critical: 0.5 },
        mode: 'observe',
      },
      trust: () => true,
      onDisconnect: 'finish',
      detachAfter: 0,
    },
    defaults: { retry: false, breaker: { slow: false }, deadline: false },
    dependencies: {
      quotes: {
        baseUrl: new URL('https://quotes.internal/api/'),
        deadline: '2s',
        attempt: { timeout: '400ms', min: 0, connect: 100 },
        retry: {
          attempts: 3,
          backoff: () => '1s',
          budget: {
            ratio: 0,
            window: '1m',
            minPerSecond: 0.5,
            concurrent: false,
            key: true,
            mode: 'observe',
          },
          maxRetryAfter: 0,
          owner: 'above',
          statuses: [503],
        },
        breaker: {
          window: { calls: 20 },
          minCalls: 5,
          failureRate: false,
          consecutive: false,
          slow: { over: '300ms', rate: 1 },
          openFor: '30d',
          maxOpenFor: '30d',
          jitter: 0,
          probes: { count: 3, rate: 0.5 },
          observes: 'both',
          scope: ({ origin }) => origin ?? '',
          maxKeys: 10,
          whenOpen: { wait: '3s' },
          statuses: [],
          mode: 'observe',
        },
        bulkhead: { concurrent: 1, queue: 0, wait: 0, detachAfter: '1h', mode: 'observe' },
        fallback: { run: () => null, timeout: 100, mark: false },
        classify: () => undefined,
        propagate: false,
        idempotencyKey: false,
        client: { headers: { accept: 'application/json' } },
        policies: [{ policy: { kind: 'own', options: {}, bind: () => (next) => next }, before: 'retry' }],
      },
      db: { deadline: undefined } as object,
    },
  };
  expect([...resolveConfig(config).dependencies.keys()]).toEqual(['quotes', 'db']);
});
