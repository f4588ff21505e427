import type { Scenario } from '../scenario/types.js';

/** A service of four instances is replaced, and comes up cold. */
export const rollout: Scenario = {
  name: 'rollout',
  about: 'Four instances restart and are cold for a while: all at once, or one after another.',
  duration: '3m',
  focus: 'shop.catalogue',
  services: {
    shop: {
      latency: '2ms',
      calls: ['catalogue'],
      spillway: {
        service: 'shop',
        dependencies: {
          catalogue: {
            deadline: '2s',
            attempt: { timeout: '500ms' },
            retry: { attempts: 3, backoff: { base: '50ms' } },
          },
        },
      },
    },
    catalogue: {
      latency: { logNormal: { median: '30ms', p99: '90ms' } },
      instances: 4,
      capacity: 8,
      queue: 100,
    },
  },
  traffic: { users: { to: 'shop', arrivals: { rate: 300, spacing: 'poisson' } } },
  variants: {
    allAtOnce: {
      services: {
        catalogue: { restarts: [{ at: '30s', down: '3s', cold: { for: '20s', factor: 3 } }] },
      },
    },
    rolling: {
      services: {
        catalogue: { restarts: [{ at: '30s', down: '3s', cold: { for: '20s', factor: 3 }, rolling: '25s' }] },
      },
      expect: ['goodShare >= 99%', 'recovery <= 1s'],
    },
  },
};
