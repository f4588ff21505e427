import type { Scenario } from '../scenario/types.js';

/** An overload whose own retries keep it alive after its trigger has gone (Bronson et al., "Metastable Failures", 2021). */
export const storm: Scenario = {
  name: 'storm',
  about:
    'Ten slow seconds fill a queue; without a budget the retries keep it full for ever, with one it drains.',
  duration: '2m',
  focus: 'shop.orders',
  services: {
    shop: {
      latency: '1ms',
      calls: ['orders'],
      spillway: {
        service: 'shop',
        dependencies: {
          orders: {
            deadline: '3s',
            attempt: { timeout: '500ms' },
            retry: { attempts: 3, backoff: { base: '50ms' }, budget: false },
            breaker: false,
            bulkhead: false,
          },
        },
      },
    },
    orders: {
      // 100 a second, and it works on for callers who have gone
      latency: '100ms',
      capacity: 10,
      queue: 200,
      whenGone: 'finish',
      faults: [{ kind: 'slow', factor: 5, from: '20s', to: '30s' }],
    },
  },
  traffic: { users: { to: 'shop', arrivals: { rate: 70, spacing: 'poisson' } } },
  variants: {
    withoutBudget: { expect: ['recovery = never', 'goodShare < 50%'] },
    withBudget: {
      services: {
        shop: {
          spillway: { dependencies: { orders: { retry: { budget: { ratio: 0.2, minPerSecond: 1 } } } } },
        },
      },
      expect: ['recovery <= 30s', 'amplification <= 1.25'],
    },
  },
};
