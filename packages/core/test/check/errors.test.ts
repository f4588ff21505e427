import { describe, expect, test } from '@jest/globals';
import type { DefaultsConfig, DependencyConfig } from '../../src/config/types.js';
import { findFor, ids, ofRule } from './find.js';

interface Row {
  readonly id: string;
  /** The option that is told, below the dependency. */
  readonly option: string;
  readonly wrong: DependencyConfig;
  /** The same, mended just so far that it takes effect. */
  readonly right: DependencyConfig;
  /** What the message says. */
  readonly says: string;
}

const full = { jitter: 'full' } as const;
const never = { failureRate: false, consecutive: false } as const;

const ROWS: readonly Row[] = [
  {
    id: 'SW001',
    option: 'attempt.timeout',
    wrong: { deadline: '2s', attempt: { timeout: '3s' } },
    right: { deadline: '2s', attempt: { timeout: '2s' } },
    says: 'An attempt may take 3 s, the whole operation 2 s',
  },
  {
    id: 'SW002',
    option: 'breaker.minCalls',
    wrong: { breaker: { window: { calls: 10 }, minCalls: 11 } },
    right: { breaker: { window: { calls: 10 }, minCalls: 10 } },
    says: 'Rates are judged from 11 calls, but the window never holds more than 10.',
  },
  {
    id: 'SW003',
    option: 'retry.attempts',
    wrong: {
      deadline: 140,
      retry: { attempts: 2, backoff: { base: 100, jitter: 'none' } },
      attempt: { min: 50 },
    },
    right: {
      deadline: 150,
      retry: { attempts: 2, backoff: { base: 100, jitter: 'none' } },
      attempt: { min: 50 },
    },
    says: '100 + 50 = 150 ms > 140 ms',
  },
  {
    id: 'SW003',
    option: 'retry.attempts',
    wrong: {
      deadline: 99,
      retry: { attempts: 2, backoff: { base: 100, jitter: 'equal' } },
      attempt: { min: 50 },
    },
    right: { deadline: 99, retry: { attempts: 2, backoff: { base: 100, ...full } }, attempt: { min: 50 } },
    says: '50 + 50 = 100 ms > 99 ms',
  },
  {
    id: 'SW004',
    option: 'attempt.min',
    wrong: { attempt: { timeout: 100, min: 101 } },
    right: { attempt: { timeout: 100, min: 100 } },
    says: 'A retry asks for 101 ms, but an attempt may take 100 ms at most.',
  },
  {
    id: 'SW005',
    option: 'attempt.connect',
    wrong: { attempt: { timeout: 100, connect: 101 } },
    right: { attempt: { timeout: 100, connect: 100 } },
    says: 'Connecting may take 101 ms, the whole attempt 100 ms',
  },
  {
    id: 'SW006',
    option: 'breaker.slow.over',
    wrong: { attempt: { timeout: 300 }, breaker: { slow: { over: 300 } } },
    right: { attempt: { timeout: 300 }, breaker: { slow: { over: 299 } } },
    says: 'A call is slow above 300 ms, but attempt.timeout ends every call at 300 ms.',
  },
  {
    id: 'SW006',
    option: 'breaker.slow.over',
    wrong: { deadline: '1s', breaker: { slow: { over: '1s' }, observes: 'operations' } },
    right: {
      deadline: '1s',
      attempt: { timeout: 300 },
      breaker: { slow: { over: 999 }, observes: 'operations' },
    },
    says: 'but deadline ends every call at 1 s.',
  },
  {
    id: 'SW007',
    option: 'breaker.openFor',
    wrong: { breaker: { openFor: '10s', maxOpenFor: '9s' } },
    right: { breaker: { openFor: '10s', maxOpenFor: '10s' } },
    says: 'opens for 10 s, but never for longer than 9 s',
  },
  {
    id: 'SW008',
    option: 'retry.backoff.base',
    wrong: { retry: { backoff: { base: 200, cap: 100 } } },
    right: { retry: { backoff: { base: 200, cap: 200 } } },
    says: 'The first wait is 200 ms, but no wait is longer than 100 ms.',
  },
  {
    id: 'SW009',
    option: 'breaker',
    wrong: { breaker: never },
    right: { breaker: { ...never, slow: { over: 100 } } },
    says: 'it can never open',
  },
  {
    id: 'SW010',
    option: 'breaker.minCalls',
    wrong: { breaker: { minCalls: 5, failureRate: false } },
    right: { breaker: { minCalls: 5, failureRate: false, slow: { over: 100 } } },
    says: 'nothing reads it',
  },
  {
    id: 'SW011',
    option: 'retry.budget.ratio',
    wrong: { retry: { budget: { ratio: 0, minPerSecond: 0.05 } } },
    right: { retry: { budget: { ratio: 0, minPerSecond: 0.1 } } },
    says: '0 x operations + 0.05/s x 10 s = 0.5 retries',
  },
  {
    id: 'SW011',
    option: 'retry.budget.concurrent',
    wrong: { retry: { budget: { concurrent: { ratio: 0, min: 0 } } } },
    right: { retry: { budget: { concurrent: { ratio: 0, min: 1 } } } },
    says: 'max(0, 0 x operations) = 0',
  },
  {
    id: 'SW012',
    option: 'bulkhead.wait',
    wrong: { bulkhead: { queue: 0, wait: 100 } },
    right: { bulkhead: { queue: 0 } },
    says: 'may wait 100 ms for a unit, but the queue has no place',
  },
  {
    id: 'SW012',
    option: 'bulkhead.queue',
    wrong: { bulkhead: { queue: 5, wait: 0 } },
    right: { bulkhead: { queue: 0, wait: 0 } },
    says: '5 operations may wait for a unit, but for 0 ms.',
  },
  {
    id: 'SW013',
    option: 'bulkhead.wait',
    wrong: { deadline: '1s', bulkhead: { wait: '2s' } },
    right: { deadline: '1s', bulkhead: { wait: '1s' } },
    says: 'bulkhead.wait is 2 s, but the operation ends after 1 s.',
  },
  {
    id: 'SW013',
    option: 'breaker.whenOpen.wait',
    wrong: { deadline: '1s', breaker: { whenOpen: { wait: '2s' } } },
    right: { deadline: '1s', breaker: { whenOpen: { wait: '1s' } } },
    says: 'breaker.whenOpen.wait is 2 s',
  },
  {
    id: 'SW014',
    option: 'breaker.maxKeys',
    wrong: { breaker: { maxKeys: 5 } },
    right: { breaker: { maxKeys: 5, scope: 'origin' } },
    says: 'there is one breaker',
  },
  {
    id: 'SW014',
    option: 'retry.budget.maxKeys',
    wrong: { retry: { budget: { maxKeys: 5 } } },
    right: { retry: { budget: { maxKeys: 5, key: true } } },
    says: 'the budget has no key',
  },
  {
    id: 'SW015',
    option: 'retry.attempts',
    wrong: { retry: { attempts: 2, owner: 'above' } },
    right: { retry: { owner: 'above' } },
    says: "retry.owner 'above' leaves retrying to the callers",
  },
];

describe('an option that can never take effect is an error, with its numbers and the fix', () => {
  test.each(ROWS)('$id: $option in $wrong', ({ id, option, wrong, says }) => {
    const finding = ofRule(id, findFor(wrong));
    expect(finding).toMatchObject({
      severity: 'error',
      path: `dependencies.quotes.${option}`,
      dependency: 'quotes',
      message: expect.stringContaining(says),
      fix: expect.stringMatching(/^[A-Z].*\.$/),
    });
  });

  test.each(ROWS)('$id is none in $right', ({ id, right }) => {
    expect(ofRule(id, findFor(right))).toBeUndefined();
  });
});

describe('what stands in defaults', () => {
  const PAIRS: readonly (readonly [string, DefaultsConfig, DependencyConfig])[] = [
    ['SW001', { attempt: { timeout: '3s' } }, { deadline: '2s' }],
    ['SW002', { breaker: { minCalls: 11 } }, { breaker: { window: { calls: 10 } } }],
    [
      'SW003',
      { retry: { attempts: 2, backoff: { base: 100, jitter: 'none' } } },
      { deadline: 140, attempt: { min: 50 } },
    ],
    ['SW004', { attempt: { min: 101 } }, { attempt: { timeout: 100 } }],
    ['SW005', { attempt: { connect: 101 } }, { attempt: { timeout: 100 } }],
    ['SW006', { breaker: { slow: { over: 300 } } }, { attempt: { timeout: 300 } }],
    ['SW007', { breaker: { openFor: '10s' } }, { breaker: { maxOpenFor: '9s' } }],
    ['SW008', { retry: { backoff: { base: 200 } } }, { retry: { backoff: { cap: 100 } } }],
    ['SW010', { breaker: { minCalls: 5 } }, { breaker: { failureRate: false } }],
    ['SW012', { bulkhead: { wait: 100 } }, { bulkhead: { queue: 0 } }],
    ['SW013', { bulkhead: { wait: '2s' } }, { deadline: '1s' }],
    ['SW014', { breaker: { maxKeys: 5 } }, {}],
    ['SW015', { retry: { attempts: 2 } }, { retry: { owner: 'above' } }],
  ];

  test.each(PAIRS)(
    '%s is no error where a dependency says otherwise: it serves others',
    (id, defaults, own) => {
      expect(ids(findFor(own, undefined, defaults)).filter((line) => line.endsWith('error'))).toEqual([]);
      expect(ofRule(id, findFor(own, undefined, defaults))).toBeUndefined();
    },
  );

  test('is an error where it contradicts itself, told by its own path', () => {
    const finding = ofRule('SW001', findFor({}, undefined, { deadline: '2s', attempt: { timeout: '3s' } }));
    expect(finding).toMatchObject({
      severity: 'error',
      path: 'defaults.attempt.timeout',
      dependency: 'quotes',
    });
  });

  test('bounds what a dependency itself says', () => {
    const finding = ofRule('SW001', findFor({ attempt: { timeout: '3s' } }, undefined, { deadline: '2s' }));
    expect(finding).toMatchObject({ severity: 'error', path: 'dependencies.quotes.attempt.timeout' });
  });
});
