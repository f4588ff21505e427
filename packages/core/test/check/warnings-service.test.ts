import { describe, expect, test } from '@jest/globals';
import type { CheckInput } from '../../src/check/input.js';
import type { SpillwayConfig } from '../../src/config/types.js';
import { findAll, ofRule } from './find.js';

interface ServiceRow {
  readonly id: string;
  readonly severity: 'warning' | 'info' | undefined;
  readonly config: SpillwayConfig;
  readonly input?: CheckInput;
  readonly path?: string;
  readonly says?: string;
}

const SERVICE: readonly ServiceRow[] = [
  {
    id: 'SW105',
    severity: 'warning',
    config: {
      inbound: { deadline: { margin: 0 } },
      dependencies: { quotes: { fallback: () => null }, orders: { fallback: () => null }, db: {} },
    },
    path: 'inbound.deadline.margin',
    says: 'the fallbacks of quotes, orders have no time left',
  },
  {
    id: 'SW105',
    severity: 'info',
    config: { inbound: { deadline: { margin: 0 } } },
    says: 'arrives after it',
  },
  { id: 'SW105', severity: undefined, config: { inbound: { deadline: { margin: 1 } } } },
  {
    id: 'SW107',
    severity: 'info',
    config: {
      inbound: { deadline: { default: '2s', margin: 200 } },
      dependencies: {
        quotes: {
          deadline: '2s',
          attempt: { timeout: 500 },
          retry: { attempts: 2, backoff: { base: 100, jitter: 'none' } },
        },
      },
    },
    input: { traffic: { quotes: { spent: '300ms' } } },
    path: 'dependencies.quotes.retry.attempts',
    says: '2,000 - 300 - 200 = 1,500; 2 x 500 + 100 = 1,100 ms; 400 left',
  },
  {
    id: 'SW107',
    severity: 'warning',
    config: {
      inbound: { deadline: { default: '2s', margin: 200 } },
      dependencies: { quotes: { attempt: { timeout: '1s' }, retry: { attempts: 2 } } },
    },
    input: { traffic: { quotes: { spent: 300 } } },
    says: '2,000 - 300 - 200 = 1,500; 2 x 1,000 + 100 = 2,100 ms; 600 too much',
  },
  {
    id: 'SW107',
    severity: undefined,
    config: { dependencies: { quotes: { attempt: { timeout: false } } } },
    input: { traffic: { quotes: { spent: 300 } } },
  },
  {
    id: 'SW402',
    severity: 'warning',
    config: { inbound: { concurrency: 100 }, dependencies: { quotes: {} } },
    path: 'dependencies.quotes.bulkhead.concurrent',
    says: '50 + 50 = 100 of 100 places',
  },
  {
    id: 'SW402',
    severity: undefined,
    config: { inbound: { concurrency: 101 }, dependencies: { quotes: {} } },
  },
  {
    id: 'SW402',
    severity: undefined,
    config: { inbound: { concurrency: false }, dependencies: { quotes: {} } },
  },
  {
    id: 'SW402',
    severity: 'warning',
    config: {
      inbound: { concurrency: { limit: { kind: 'aimd', max: 80 } } },
      dependencies: { quotes: {} },
    },
    says: '100 of 80 places',
  },
  { id: 'SW404', severity: 'info', config: { inbound: { concurrency: false } }, path: 'inbound.concurrency' },
  {
    id: 'SW601',
    severity: 'warning',
    config: {},
    input: { production: true, stores: [{ kind: 'redis' }, { kind: 'memory' }] },
    path: 'stores[1].kind',
  },
  { id: 'SW601', severity: undefined, config: {}, input: { stores: [{ kind: 'memory' }] } },
  {
    id: 'SW602',
    severity: 'warning',
    config: {},
    input: { stores: [{ kind: 'redis', ttl: '59s' }] },
    path: 'stores[0].ttl',
    says: 'kept for 59 s, but a retry may come after 60 s',
  },
  {
    id: 'SW602',
    severity: 'warning',
    config: {},
    input: { stores: [{ kind: 'redis', ttl: '23h', horizon: '1d' }] },
    says: 'after 24 h',
  },
  {
    id: 'SW602',
    severity: undefined,
    config: {},
    input: { stores: [{ kind: 'redis', ttl: '1d' }, { kind: 'x' }] },
  },
  {
    id: 'SW604',
    severity: 'warning',
    config: { inbound: { trust: ['10.0.0.0/8', '::/0'] } },
    path: 'inbound.trust[1]',
    says: "'::/0' is every address",
  },
  { id: 'SW604', severity: undefined, config: { inbound: { trust: ['10.0.0.0/10'] } } },
  { id: 'SW604', severity: undefined, config: { inbound: { trust: () => true } } },
  { id: 'SW605', severity: 'info', config: {}, input: { production: true }, path: 'idempotency.secret' },
  {
    id: 'SW605',
    severity: undefined,
    config: { idempotency: { secret: 'hush' } },
    input: { production: true },
  },
];

describe('rules about the service', () => {
  test.each(SERVICE)(
    '$id is $severity for $config with $input',
    ({ id, severity, config, input, path, says }) => {
      const finding = ofRule(id, findAll(config, input));
      expect(finding?.severity).toBe(severity);
      if (path !== undefined) expect(finding?.path).toBe(path);
      if (says !== undefined) expect(finding?.message).toContain(says);
    },
  );

  test('parts that only observe are told in production, each by its path', () => {
    const config: SpillwayConfig = {
      inbound: { deadline: { mode: 'observe' }, concurrency: { mode: 'observe' } },
      defaults: { bulkhead: { mode: 'observe' } },
      dependencies: { quotes: { breaker: { mode: 'observe' }, retry: { budget: { mode: 'observe' } } } },
    };
    const paths = (input: CheckInput): string[] =>
      findAll(config, input).flatMap(({ id, path }) => (id === 'SW603' ? [path] : []));
    expect(paths({})).toEqual([]);
    expect(paths({ production: true })).toEqual([
      'inbound.deadline.mode',
      'inbound.concurrency.mode',
      'dependencies.quotes.retry.budget.mode',
      'dependencies.quotes.breaker.mode',
      'defaults.bulkhead.mode',
    ]);
  });
});
