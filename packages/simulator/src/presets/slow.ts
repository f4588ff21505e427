import type { Scenario } from '../scenario/types.js';

/** A dependency that gets a hundred times slower for two minutes, and answers well all the while. */
export const slow: Scenario = {
  name: 'slow',
  about: 'A dependency gets 100 times slower: who waits, how many places it holds, and what bounds it.',
  duration: '5m',
  focus: 'shop.quotes',
  services: {
    shop: {
      latency: '2ms',
      calls: [{ to: 'quotes', optional: true }],
      spillway: {
        service: 'shop',
        dependencies: {
          quotes: {
            deadline: '10s',
            attempt: { timeout: '10s' },
            retry: false,
            breaker: false,
            bulkhead: false,
          },
        },
      },
    },
    quotes: {
      latency: { logNormal: { median: '40ms', p99: '120ms' } },
      faults: [{ kind: 'slow', factor: 100, from: '1m', to: '3m' }],
    },
  },
  traffic: { users: { to: 'shop', arrivals: { rate: 50, spacing: 'poisson' } } },
  variants: {
    unbounded: {},
    timeout: {
      services: {
        shop: {
          spillway: { dependencies: { quotes: { deadline: '400ms', attempt: { timeout: '180ms' } } } },
        },
      },
      expect: ['p99 <= 250ms', 'recovery <= 5s'],
    },
    standard: {
      services: {
        shop: {
          spillway: {
            dependencies: {
              quotes: {
                deadline: '400ms',
                attempt: { timeout: '180ms' },
                retry: { attempts: 2, backoff: { base: '20ms' } },
                breaker: { slow: { over: '150ms' } },
                bulkhead: { concurrent: 20, queue: 0 },
              },
            },
          },
        },
      },
      expect: ['goodShare >= 99.9%', 'p99 <= 400ms', 'amplification <= 1.1', 'recovery <= 65s'],
    },
  },
};
