import { describe, expect, test } from '@jest/globals';
import type { CheckInput, TrafficDeclaration } from '../../src/check/input.js';
import type { DependencyConfig, SpillwayConfig } from '../../src/config/types.js';
import { findAll, findFor, ofRule } from './find.js';

interface Row {
  readonly id: string;
  readonly severity: 'warning' | 'info' | undefined;
  readonly options: DependencyConfig;
  readonly traffic?: TrafficDeclaration;
  /** What the message says; of an `undefined` severity nothing is said. */
  readonly says?: string;
  readonly fix?: string;
}

const TIMES: readonly Row[] = [
  {
    id: 'SW101',
    severity: 'warning',
    options: {
      deadline: '2s',
      attempt: { timeout: '1s' },
      retry: { attempts: 4, backoff: { base: 100, jitter: 'none' } },
    },
    says: 'take 4 x 1,000 + 700 = 4,700 ms against 2,000 ms: 1 of 4 fit in full.',
    fix: 'Set attempt.timeout to 325 ms or less, make fewer attempts, or raise the deadline to 4.7 s.',
  },
  {
    id: 'SW101',
    severity: 'info',
    options: { deadline: '2s' },
    says: '3 x 2,000 + 300 = 6,300 ms against 2,000 ms: 1 of 3',
  },
  {
    id: 'SW101',
    severity: 'warning',
    options: { deadline: 200, retry: { attempts: 4 } },
    says: '4 x 200 + 700 = 1,500 ms against 200 ms',
    fix: 'Make fewer attempts, or raise the deadline to 1.5 s.',
  },
  {
    id: 'SW101',
    severity: undefined,
    options: { deadline: '4.7s', attempt: { timeout: '1s' }, retry: { attempts: 4 } },
  },
  {
    id: 'SW102',
    severity: 'warning',
    options: { deadline: false },
    says: 'at its worst it takes 3 x 3,000 + 300 = 9,300 ms',
  },
  {
    id: 'SW102',
    severity: 'warning',
    options: { deadline: false, attempt: { timeout: false } },
    says: 'hangs for ever',
  },
  { id: 'SW102', severity: undefined, options: { deadline: '1h' } },
  {
    id: 'SW103',
    severity: 'warning',
    options: { attempt: { timeout: false } },
    says: 'all of the deadline (10 s)',
  },
  { id: 'SW103', severity: 'info', options: { attempt: { timeout: false }, retry: false }, says: '10 s' },
  {
    id: 'SW104',
    severity: 'warning',
    options: { attempt: { timeout: 100 } },
    traffic: { p99: 120 },
    says: 'it cuts more than 1 of 100 healthy attempts. p99 120 ms x 1.5 = 180 ms.',
    fix: 'Set attempt.timeout to about 180 ms (p99 120 ms x 1.5 = 180).',
  },
  {
    id: 'SW104',
    severity: 'warning',
    options: { attempt: { timeout: 179 } },
    traffic: { p99: 120 },
    says: 'too near',
  },
  { id: 'SW104', severity: undefined, options: { attempt: { timeout: 180 } }, traffic: { p99: 120 } },
  { id: 'SW104', severity: undefined, options: { attempt: { timeout: '1.2s' } }, traffic: { p99: 120 } },
  {
    id: 'SW104',
    severity: 'warning',
    options: { attempt: { timeout: '5s' } },
    traffic: { p99: 120 },
    says: '5 s is 42 times the p99 of 120 ms',
  },
  { id: 'SW104', severity: 'info', options: {}, traffic: { p99: 120 }, says: '3 s is 25 times' },
  { id: 'SW104', severity: undefined, options: {} },
  {
    id: 'SW106',
    severity: 'info',
    options: { deadline: '2m' },
    says: '60,000 - 20 = 59,980 ms < 120,000 ms',
  },
  { id: 'SW106', severity: undefined, options: { deadline: '59s' } },
  {
    id: 'SW108',
    severity: 'warning',
    options: { attempt: { connect: 100 } },
    says: 'attempt.connect is for the HTTP client',
  },
  {
    id: 'SW108',
    severity: 'warning',
    options: { client: { http2: true } },
    says: 'client is for the HTTP client',
  },
  { id: 'SW108', severity: undefined, options: { baseUrl: 'http://quotes', attempt: { connect: 100 } } },
];

const RETRIES: readonly Row[] = [
  {
    id: 'SW201',
    severity: 'warning',
    options: { retry: { budget: false } },
    says: '1 + 2 = 3 times the load',
  },
  {
    id: 'SW201',
    severity: 'warning',
    options: { retry: { budget: false, attempts: 4 } },
    traffic: { rate: '10000/min' },
    says: '10,000/min x 4 = 40,000 attempts/min',
  },
  { id: 'SW201', severity: undefined, options: { retry: { budget: false, attempts: 1 } } },
  {
    id: 'SW202',
    severity: 'warning',
    options: { retry: { backoff: { base: 0 } } },
    says: 'retry.backoff.base is 0',
  },
  {
    id: 'SW202',
    severity: 'warning',
    options: { retry: { backoff: { cap: 0 } } },
    says: 'retry.backoff.base is 0',
  },
  { id: 'SW202', severity: undefined, options: { retry: { backoff: () => 0 } } },
  { id: 'SW202', severity: undefined, options: { retry: { backoff: { base: 0 }, attempts: 1 } } },
  {
    id: 'SW203',
    severity: 'warning',
    options: { retry: { backoff: { jitter: 'none' } } },
    says: 'together.',
  },
  {
    id: 'SW203',
    severity: 'warning',
    options: { retry: { backoff: { jitter: 'none' } } },
    traffic: { instances: 40 },
    says: 'on all 40 instances',
  },
  { id: 'SW203', severity: undefined, options: { retry: { backoff: { jitter: 'equal' } } } },
  {
    id: 'SW204',
    severity: 'warning',
    options: {},
    traffic: { methods: ['get', 'post'] },
    says: 'post goes out without an idempotency key: retries stop',
  },
  {
    id: 'SW204',
    severity: 'warning',
    options: { retry: false },
    traffic: { methods: ['POST'], meshAttempts: 3 },
    says: 'the mesh repeats it up to 3 times',
  },
  { id: 'SW204', severity: undefined, options: {}, traffic: { methods: ['POST'], keyed: true } },
  { id: 'SW204', severity: undefined, options: {}, traffic: { methods: ['GET', 'PUT'] } },
  { id: 'SW204', severity: undefined, options: { retry: false }, traffic: { methods: ['POST'] } },
  {
    id: 'SW205',
    severity: 'warning',
    options: {},
    traffic: { meshAttempts: 3 },
    says: 'app 3 x mesh 3 = 9 attempts',
  },
  { id: 'SW205', severity: undefined, options: { retry: false }, traffic: { meshAttempts: 3 } },
  { id: 'SW206', severity: 'info', options: { retry: { owner: 'ignore' } }, says: 'made up to 3 times' },
  {
    id: 'SW207',
    severity: 'info',
    options: {},
    traffic: { rate: '10000/min', failing: 0.08 },
    says: '10,000/min x 8 % = 800 retries/min, of the 20 %',
  },
  {
    id: 'SW207',
    severity: 'info',
    options: { retry: { budget: false } },
    traffic: { rate: '10000/min', failing: 0.08 },
    says: '10,000/min x 8 % = 800 retries/min.',
  },
  {
    id: 'SW207',
    severity: 'warning',
    options: { retry: { budget: { ratio: 0.05 } } },
    traffic: { rate: 50, failing: 0.08 },
    says: '50/s x 8 % = 4 retries/s, but the budget allows 5 %.',
  },
  {
    id: 'SW207',
    severity: 'warning',
    options: { retry: { budget: { ratio: 0.05 } } },
    traffic: { failing: 0.08 },
    says: '8 % of the operations, but',
  },
  { id: 'SW207', severity: undefined, options: {}, traffic: { failing: 0 } },
  {
    id: 'SW208',
    severity: 'warning',
    options: { retry: { budget: false }, breaker: false },
    says: 'makes 3 attempts, however long',
  },
  { id: 'SW208', severity: undefined, options: { retry: false, breaker: false } },
  { id: 'SW208', severity: undefined, options: { retry: { budget: false } } },
];

const BREAKERS: readonly Row[] = [
  {
    id: 'SW301',
    severity: 'warning',
    options: { breaker: { observes: 'operations' }, retry: { attempts: 4 } },
    says: '10 operations x 4 attempts = 40 failed attempts',
  },
  { id: 'SW301', severity: undefined, options: { breaker: { observes: 'operations' }, retry: false } },
  { id: 'SW301', severity: undefined, options: { breaker: { observes: 'both' } } },
  {
    id: 'SW302',
    severity: 'warning',
    options: {},
    traffic: { p99: 120 },
    says: 'p99 is 120 ms',
    fix: "Set breaker.slow to { over: '180ms', rate: 0.5 }.",
  },
  {
    id: 'SW302',
    severity: 'warning',
    options: { attempt: { timeout: 150 } },
    traffic: { p99: 120 },
    fix: "Set breaker.slow to { over: '120ms', rate: 0.5 }, below attempt.timeout.",
  },
  { id: 'SW302', severity: undefined, options: {} },
  { id: 'SW302', severity: undefined, options: { breaker: { slow: { over: 200 } } }, traffic: { p99: 120 } },
  { id: 'SW302', severity: undefined, options: { breaker: false }, traffic: { p99: 120 } },
  {
    id: 'SW303',
    severity: 'warning',
    options: { breaker: { window: '10s' } },
    traffic: { rate: 2, instances: 2 },
    says: '2/s / 2 instances x 10 s = 10 < 20 calls: no rate is judged, only 10 failures in a row open it.',
    fix: 'Set breaker.minCalls to 5 or less',
  },
  {
    id: 'SW303',
    severity: 'warning',
    options: { breaker: { window: '10s', consecutive: false } },
    traffic: { rate: '60/min' },
    says: '1/s x 10 s = 10 < 20 calls: no rate is judged, it can hardly open.',
  },
  { id: 'SW303', severity: undefined, options: { breaker: { window: '10s' } }, traffic: { rate: 2 } },
  {
    id: 'SW303',
    severity: undefined,
    options: { breaker: { window: { calls: 30 } } },
    traffic: { rate: '1/h' },
  },
  {
    id: 'SW303',
    severity: undefined,
    options: { breaker: { failureRate: false } },
    traffic: { rate: '1/h' },
  },
  {
    id: 'SW304',
    severity: 'warning',
    options: { breaker: { window: '5s' } },
    says: '2 x 3 s = 6 s > 5 s',
  },
  { id: 'SW304', severity: 'info', options: { attempt: { timeout: '16s' } }, says: '2 x 16 s = 32 s > 30 s' },
  { id: 'SW304', severity: undefined, options: { breaker: { window: '6s' } } },
  {
    id: 'SW305',
    severity: 'warning',
    options: { breaker: { jitter: 0 } },
    says: 'probe at the same instant, 5 s after',
  },
  {
    id: 'SW305',
    severity: 'warning',
    options: { breaker: { jitter: 0 } },
    traffic: { instances: 40 },
    says: '40 instances probe at the same instant, 5 s after they opened: 40 x 3 = 120 probes.',
  },
  { id: 'SW305', severity: undefined, options: { breaker: { jitter: 0.01 } } },
  { id: 'SW306', severity: 'info', options: { breaker: false }, says: 'Calls go on' },
  {
    id: 'SW307',
    severity: 'info',
    options: {},
    traffic: { instances: 40 },
    says: '3 x 40 instances = 120 probes',
  },
  {
    id: 'SW307',
    severity: 'warning',
    options: {},
    traffic: { instances: 40, rate: 100 },
    says: '120 probes at about the same time, more than a second of its traffic (100)',
  },
  { id: 'SW307', severity: undefined, options: {}, traffic: { instances: 1, rate: 1 } },
  {
    id: 'SW308',
    severity: 'info',
    options: {},
    traffic: { instances: 40 },
    says: '1/s x 40 instances = 40 retries/s',
  },
  {
    id: 'SW308',
    severity: 'warning',
    options: {},
    traffic: { instances: 40, rate: 100 },
    says: '1/s x 40 instances = 40 retries/s, 20 % x 100/s = 20/s',
    fix: 'Set retry.budget.minPerSecond to 0.5 or less.',
  },
  {
    id: 'SW308',
    severity: undefined,
    options: { retry: { budget: { minPerSecond: 0 } } },
    traffic: { instances: 40 },
  },
];

const LOAD: readonly Row[] = [
  {
    id: 'SW401',
    severity: 'warning',
    options: { attempt: { timeout: '5s' } },
    traffic: { rate: 50, p99: 120 },
    says: 'holds 50/s x 5 s = 250 units, but there are 50.',
    fix: 'Shorten attempt.timeout: 50/s x 180 ms = 9, or raise bulkhead.concurrent.',
  },
  { id: 'SW401', severity: undefined, options: { attempt: { timeout: 180 } }, traffic: { rate: 50 } },
  { id: 'SW401', severity: undefined, options: { attempt: { timeout: '1s' } }, traffic: { rate: 50 } },
  { id: 'SW401', severity: 'info', options: {}, traffic: { rate: 50 }, says: '50/s x 3 s = 150' },
  { id: 'SW401', severity: undefined, options: {}, traffic: { rate: 50, instances: 3 } },
  {
    id: 'SW401',
    severity: 'warning',
    options: { attempt: { timeout: '5s' } },
    traffic: { rate: 50, instances: 2 },
    says: '50/s / 2 instances x 5 s = 125',
  },
  {
    id: 'SW401',
    severity: 'warning',
    options: { bulkhead: false },
    traffic: { rate: 1 },
    says: 'holds 1/s x 3 s = 3 units, and no bulkhead bounds them.',
    fix: 'Shorten attempt.timeout, and turn the bulkhead on.',
  },
  { id: 'SW403', severity: 'info', options: { bulkhead: false }, says: 'Nothing bounds' },
];

describe.each([
  ['time', TIMES],
  ['retries', RETRIES],
  ['breakers', BREAKERS],
  ['load', LOAD],
] as const)('rules about %s', (_, rows) => {
  test.each(rows)(
    '$id is $severity for $options with $traffic',
    ({ id, severity, options, traffic, says, fix }) => {
      const finding = ofRule(id, findFor(options, traffic));
      expect(finding?.severity).toBe(severity);
      if (severity === undefined) return;
      expect(finding?.message).toContain(says ?? '');
      expect(finding?.fix).toContain(fix ?? '.');
      if (finding?.arithmetic !== undefined) expect(finding.arithmetic).toMatch(/\d/);
    },
  );
});

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
