import { describe, expect, test } from '@jest/globals';
import type { CheckInput } from '../../src/check/input.js';
import { RULES, ruleById } from '../../src/check/rules.js';
import type { SpillwayConfig } from '../../src/config/types.js';
import { findAll, ids } from './find.js';

const severe = (findings: ReturnType<typeof findAll>): string[] =>
  ids(findings).filter((line) => !line.endsWith('info'));

/** The example of the guide, which shows most options. */
const GUIDE: SpillwayConfig = {
  service: 'storefront',
  inbound: {
    deadline: { default: '30s', max: '60s', margin: '20ms' },
    concurrency: { limit: { kind: 'loop', turn: '10ms', min: 1, max: 1000 }, queue: { size: 0 } },
    trust: ['10.0.0.0/8'],
  },
  defaults: { attempt: { timeout: '1s' } },
  dependencies: {
    quotes: {
      baseUrl: 'http://quotes.internal',
      deadline: '2s',
      attempt: { timeout: '400ms', min: '50ms', connect: '100ms' },
      retry: {
        attempts: 3,
        backoff: { base: '100ms', factor: 2, cap: '2s', jitter: 'full' },
        budget: { ratio: 0.2, window: '10s', minPerSecond: 1, concurrent: { ratio: 0.2, min: 3 } },
        maxRetryAfter: '30s',
        owner: 'here',
      },
      breaker: {
        window: '30s',
        minCalls: 20,
        failureRate: 0.5,
        consecutive: 10,
        slow: { over: '300ms', rate: 0.5 },
        openFor: '5s',
        maxOpenFor: '60s',
        jitter: 0.2,
        probes: 3,
        observes: 'attempts',
        scope: 'dependency',
        whenOpen: 'refuse',
      },
      bulkhead: { concurrent: 50, queue: 50, wait: '500ms', detachAfter: '30s' },
      fallback: () => ({ price: null }),
    },
  },
};

describe('nothing above info is found', () => {
  test.each<[string, SpillwayConfig]>([
    ['nothing written', {}],
    ['one base URL', { dependencies: { quotes: { baseUrl: 'http://quotes.internal' } } }],
    ['a deadline alone', { dependencies: { quotes: { deadline: '2s' } } }],
    ['a deadline in the defaults', { defaults: { deadline: '500ms' }, dependencies: { quotes: {} } }],
    ['a fallback', { dependencies: { quotes: { fallback: () => null } } }],
    ['no retries', { dependencies: { quotes: { retry: false } } }],
    ["the guide's example", GUIDE],
  ])('for %s, in production neither', (_, config) => {
    expect(severe(findAll(config))).toEqual([]);
    expect(severe(findAll(config, { production: true, instances: 3 }))).toEqual([]);
  });
});

describe('the two configurations of the guide', () => {
  test('the dangerous one has a finding for each danger', () => {
    const input: CheckInput = {
      traffic: { payments: { rate: '50/s', p99: '120ms', methods: ['POST'], failing: 0.08 } },
      graph: {
        services: {
          client: { calls: { gateway: { attempts: 4, spillway: false } } },
          gateway: { calls: { orders: { attempts: 4, owner: 'ignore' } } },
          orders: { calls: { payments: {} } },
        },
      },
    };
    const findings = findAll(
      {
        service: 'orders',
        dependencies: {
          payments: {
            baseUrl: 'http://payments.internal',
            deadline: false,
            attempt: { timeout: '5s' },
            retry: {
              attempts: 4,
              backoff: { base: 0, jitter: 'none' },
              budget: false,
              owner: 'ignore',
            },
            breaker: { observes: 'operations' },
          },
        },
      },
      input,
    );
    const byId = new Map(findings.map((finding) => [finding.id, finding]));
    expect(severe(findings)).toEqual([
      'SW102 warning',
      'SW104 warning',
      'SW201 warning',
      'SW202 warning',
      'SW203 warning',
      'SW204 warning',
      'SW301 warning',
      'SW302 warning',
      'SW401 warning',
      'SW501 warning',
    ]);
    expect(byId.get('SW501')?.message).toContain('4 x 4 x 4 = 64 times');
    expect(byId.get('SW501')?.path).toBe('client -> gateway -> orders -> payments');
    expect(byId.get('SW401')?.message).toContain('50/s x 5 s = 250 units, but there are 50');
    expect(byId.get('SW401')?.fix).toContain('50/s x 180 ms = 9');
    expect(byId.get('SW104')?.message).toContain('p99 120 ms x 1.5 = 180 ms');
    expect(byId.get('SW102')?.message).toContain('4 x 5,000 = 20,000 ms');
  });

  test('the defensible one has nothing above info', () => {
    const findings = findAll(
      {
        service: 'orders',
        dependencies: {
          payments: {
            baseUrl: 'http://payments.internal',
            deadline: '2s',
            attempt: { timeout: '400ms' },
            retry: {
              attempts: 2,
              backoff: { base: '100ms', jitter: 'full' },
              budget: { ratio: 0.1 },
              owner: 'here',
            },
            breaker: { window: '30s', minCalls: 50, failureRate: 0.5, slow: { over: '300ms', rate: 0.5 } },
          },
        },
      },
      {
        production: true,
        instances: 4,
        traffic: {
          payments: {
            rate: '50/s',
            p50: '40ms',
            p99: '120ms',
            methods: ['POST'],
            keyed: true,
            failing: 0.01,
            spent: '300ms',
          },
        },
        graph: {
          services: {
            client: { calls: { gateway: { attempts: 2 } } },
            gateway: { calls: { orders: { attempts: 2 } } },
            orders: { calls: { payments: {} } },
          },
        },
        stores: [{ kind: 'postgres', ttl: '1d' }],
      },
    );
    expect(severe(findings)).toEqual([]);
  });
});

describe('check.ignore', () => {
  const dependencies = { quotes: { retry: { budget: false } } } as const;

  test('leaves findings out by id, with a reason', () => {
    expect(ids(findAll({ dependencies }))).toContain('SW201 warning');
    const ignore = [{ id: 'SW201', reason: 'a chain that shows ownership alone' }];
    expect(ids(findAll({ dependencies, check: { ignore } }))).not.toContain('SW201 warning');
  });

  test('refuses the id of no rule', () => {
    const ignore = [{ id: 'SW209', reason: 'mistyped' }];
    expect(() => findAll({ check: { ignore } })).toThrow(
      expect.objectContaining({
        code: 'ERR_CONFIG',
        message: expect.stringMatching(
          /check\.ignore\[0\]\.id is 'SW209', which is no rule\. Give the id of a finding/,
        ),
      }),
    );
  });
});

test('findings come most severe first, then by rule', () => {
  const findings = findAll({
    inbound: { concurrency: false },
    dependencies: { a: { retry: { budget: false }, breaker: false }, b: { attempt: { min: 2, timeout: 1 } } },
  });
  expect(findings.map(({ id, severity, dependency }) => [id, severity, dependency])).toEqual([
    ['SW004', 'error', 'b'],
    ['SW201', 'warning', 'a'],
    ['SW208', 'warning', 'a'],
    ['SW306', 'info', 'a'],
    ['SW404', 'info', undefined],
  ]);
});

describe('wrong declarations are refused by path, value and range', () => {
  test.each<[string, unknown, string]>([
    [
      'traffic.quotes.rate',
      { traffic: { quotes: { rate: '50/fortnight' } } },
      "is '50/fortnight'. Give calls per second",
    ],
    ['traffic.quotes.rate', { traffic: { quotes: { rate: 0 } } }, 'is 0. Give calls per second'],
    ['traffic.quotes.rate', { traffic: { quotes: { rate: '0/s' } } }, "is '0/s'. Give"],
    ['traffic.quotes.p99', { traffic: { quotes: { p99: 'fast' } } }, "is 'fast'. Give a duration above 0"],
    ['traffic.quotes.failing', { traffic: { quotes: { failing: 8 } } }, 'is 8. Give a number from 0 to 1.'],
    ['traffic.quotes.p90', { traffic: { quotes: { p90: 3 } } }, "is no option. Did you mean 'p50'?"],
    [
      'traffic.quotes.timeout',
      { traffic: { quotes: { timeout: 3 } } },
      'is no option. Known here: rate, p50',
    ],
    [
      'graph.services.a.calls.b.attempts',
      { graph: { services: { a: { calls: { b: { attempts: 0 } } } } } },
      'is 0. Give',
    ],
    ['graph.services', { graph: {} }, 'is missing. Give an object of services by name'],
    ['stores[0].kind', { stores: [{}] }, 'is missing. Give a name'],
    ['instances', { instances: 1.5 }, 'is 1.5. Give a whole number from 1'],
    ['produktion', { produktion: true }, "is no option. Did you mean 'production'?"],
  ])('%s in %j', (path, input, says) => {
    expect(() => findAll({}, input as CheckInput)).toThrow(
      expect.objectContaining({
        code: 'ERR_CONFIG',
        message: expect.stringContaining(`${path} ${says}`),
        details: { issues: [expect.objectContaining({ path })] },
      }),
    );
  });
});

describe('every rule', () => {
  test('has an id of its own, in order, and can be looked up by it', () => {
    const all = RULES.map(({ id }) => id);
    expect(all).toEqual([...new Set(all)].sort());
    expect(ruleById('sw101')?.title).toBe('A schedule cut by the deadline');
    expect(ruleById('SW999')).toBeUndefined();
  });

  test.each(RULES.map((rule) => [rule.id, rule] as const))(
    '%s says what it is about and why it matters',
    (_, rule) => {
      expect(rule.id).toMatch(/^SW\d{3}$/);
      expect(rule.title).toMatch(/^[A-Za-z].{5,70}[^.]$/);
      expect(rule.why).toMatch(/^[A-Za-z].{40,}\.$/);
      expect(rule.id.startsWith('SW0')).toBe(rule.severity === 'error');
    },
  );
});
