import type { Scenario } from '../scenario/types.js';

const retry = {
  attempts: 4,
  backoff: { base: '100ms', factor: 2, cap: '10s', jitter: 'none' },
  budget: false,
} as const;

const breaker = {
  consecutive: 5,
  failureRate: false,
  window: '60s',
  openFor: '5s',
  maxOpenFor: '5s',
  jitter: 0,
  probes: 1,
} as const;

/** Ten seconds in which every request fails at once, seen by a service that retries, with and without a breaker. */
export const outage: Scenario = {
  name: 'outage',
  about:
    'A dependency is down for ten seconds: what retries cost it, and what a breaker saves, by its place.',
  duration: '30s',
  measure: { from: '5s', to: '15s' },
  step: '250ms',
  focus: 'shop.quotes',
  services: {
    shop: {
      latency: 0,
      calls: ['quotes'],
      spillway: {
        service: 'shop',
        dependencies: { quotes: { deadline: '10s', attempt: { timeout: '1s' }, retry, breaker: false } },
      },
    },
    quotes: { latency: '5ms', faults: [{ kind: 'status', status: 503, from: '5s', to: '15s' }] },
  },
  traffic: { users: { to: 'shop', arrivals: { rate: 100, spacing: 'even' } } },
  variants: {
    none: { expect: ['attempts = 3890', 'medianFailed = 700ms'] },
    perAttempt: {
      services: { shop: { spillway: { dependencies: { quotes: { breaker } } } } },
      expect: ['attempts = 6', 'medianFailed = 0', 'recovery <= 1s'],
    },
    aroundLoop: {
      services: {
        shop: { spillway: { dependencies: { quotes: { breaker: { ...breaker, observes: 'operations' } } } } },
      },
      expect: ['attempts = 304'],
    },
    aroundLoopClosed: {
      services: {
        shop: { spillway: { dependencies: { quotes: { breaker: { ...breaker, observes: 'operations' } } } } },
      },
      traffic: {
        users: { to: 'shop', arrivals: { rate: undefined, spacing: undefined, callers: 1, pause: '10ms' } },
      },
      expect: ['attempts = 24'],
    },
  },
};
