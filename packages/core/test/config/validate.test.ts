import { describe, expect, test } from '@jest/globals';
import { isSpillwayError } from '../../src/call/errors.js';
import type { ConfigIssue } from '../../src/config/issues.js';
import { resolveConfig } from '../../src/config/resolve.js';
import type { SpillwayConfig } from '../../src/config/types.js';

/** The error that `config` is refused with; configurations in this file are wrong on purpose. */
function refusal(config: unknown): { message: string; issues: readonly ConfigIssue[] } {
  try {
    resolveConfig(config as SpillwayConfig);
  } catch (error) {
    if (!isSpillwayError(error, 'ERR_CONFIG')) throw error;
    return { message: error.message, issues: error.details?.['issues'] as ConfigIssue[] };
  }
  throw new Error('was accepted');
}

function ofQuotes(options: unknown): { message: string; issues: readonly ConfigIssue[] } {
  return refusal({ dependencies: { quotes: options } });
}

/** One wrong option each: the part of its path below the dependency, and a configuration of it. */
const OUT_OF_RANGE: readonly (readonly [path: string, options: unknown, value: string])[] = [
  ['breaker.probes', { breaker: { probes: 0 } }, '0'],
  ['breaker.probes', { breaker: { probes: -1 } }, '-1'],
  ['breaker.probes', { breaker: { probes: Number.NaN } }, 'NaN'],
  ['breaker.probes', { breaker: { probes: '3' } }, "'3'"],
  ['breaker.probes', { breaker: { probes: 1.5 } }, '1.5'],
  ['breaker.probes.rate', { breaker: { probes: { count: 4, rate: 0 } } }, '0'],
  ['breaker.probes.rate', { breaker: { probes: { count: 4 } } }, 'undefined'],
  ['breaker.failureRate', { breaker: { failureRate: 0 } }, '0'],
  ['breaker.failureRate', { breaker: { failureRate: 1.5 } }, '1.5'],
  ['breaker.failureRate', { breaker: { failureRate: true } }, 'true'],
  ['breaker.window', { breaker: { window: 0 } }, '0'],
  ['breaker.window.calls', { breaker: { window: { calls: 0 } } }, '0'],
  ['breaker.openFor', { breaker: { openFor: Number.POSITIVE_INFINITY } }, 'Infinity'],
  ['breaker.openFor', { breaker: { openFor: '366d' } }, "'366d'"],
  ['breaker.consecutive', { breaker: { consecutive: 0 } }, '0'],
  ['breaker.slow.over', { breaker: { slow: {} } }, 'undefined'],
  ['breaker.slow', { breaker: { slow: '1s' } }, "'1s'"],
  ['breaker.whenOpen', { breaker: { whenOpen: 'wait' } }, "'wait'"],
  ['breaker.whenOpen.wait', { breaker: { whenOpen: { wait: 0 } } }, '0'],
  ['breaker.scope', { breaker: { scope: 'host' } }, "'host'"],
  ['breaker.statuses', { breaker: { statuses: [99] } }, 'a list of 1'],
  ['breaker', { breaker: true }, 'true'],
  ['retry.attempts', { retry: { attempts: 0 } }, '0'],
  ['retry.attempts', { retry: { attempts: 101 } }, '101'],
  ['retry.backoff', { retry: { backoff: '1s' } }, "'1s'"],
  ['retry.backoff.factor', { retry: { backoff: { factor: 0.5 } } }, '0.5'],
  ['retry.backoff.jitter', { retry: { backoff: { jitter: true } } }, 'true'],
  ['retry.budget.ratio', { retry: { budget: { ratio: -0.1 } } }, '-0.1'],
  ['retry.budget.concurrent.min', { retry: { budget: { concurrent: { min: -1 } } } }, '-1'],
  ['retry.budget.key', { retry: { budget: { key: 'tenant' } } }, "'tenant'"],
  ['retry.owner', { retry: { owner: 'below' } }, "'below'"],
  ['attempt.timeout', { attempt: { timeout: '' } }, "''"],
  ['attempt.timeout', { attempt: { timeout: '5' } }, "'5'"],
  ['attempt.timeout', { attempt: { timeout: '10 parsecs' } }, "'10 parsecs'"],
  ['attempt.timeout', { attempt: { timeout: null } }, 'null'],
  ['attempt', { attempt: [] }, 'a list of 0'],
  ['deadline', { deadline: -5 }, '-5'],
  ['deadline', { deadline: 0 }, '0'],
  ['bulkhead.concurrent', { bulkhead: { concurrent: 0 } }, '0'],
  ['bulkhead.queue', { bulkhead: { queue: 1.5 } }, '1.5'],
  ['fallback.run', { fallback: {} }, 'undefined'],
  ['fallback', { fallback: 3 }, '3'],
  ['classify', { classify: 'success' }, "'success'"],
  ['propagate', { propagate: 'no' }, "'no'"],
  ['client', { client: [] }, 'a list of 0'],
  ['policies', { policies: {} }, 'an object'],
  ['policies[0].policy', { policies: [{ policy: {}, before: 'retry' }] }, 'an object'],
  ['policies[0].before', { policies: [{ policy: { bind() {} }, before: 'x' }] }, "'x'"],
  ['baseUrl', { baseUrl: 'quotes.internal' }, "'quotes.internal'"],
  ['baseUrl', { baseUrl: 'ftp://quotes.internal' }, "'ftp://quotes.internal'"],
  ['baseUrl', { baseUrl: new URL('http://quotes.internal/#top') }, "'http://quotes.internal/#…'"],
];

describe('an option out of its range is refused by name, with its value and what is allowed', () => {
  test.each(OUT_OF_RANGE)('%s in %j', (path, options, value) => {
    const { message, issues } = ofQuotes(options);
    const where = `dependencies.quotes.${path}`;
    const issue = issues.find((one) => one.path === where);
    expect(issue).toMatchObject({ path: where, value });
    expect(issue?.allowed).not.toBe('');
    expect(message).toContain(
      `${where} is ${value === 'undefined' ? 'missing' : value}. Give ${issue?.allowed}`,
    );
    expect(issues.length).toBe(1);
  });
});

describe('wrong options of the whole service', () => {
  test.each([
    ['inbound.concurrency', { concurrency: 0 }],
    ['inbound.concurrency.limit', { concurrency: { limit: '10' } }],
    ['inbound.concurrency.limit.kind', { concurrency: { limit: { kind: 'pid' } } }],
    ['inbound.concurrency.limit.max', { concurrency: { limit: { kind: 'vegas', max: 0 } } }],
    ['inbound.concurrency.limit.initial', { concurrency: { limit: { kind: 'loop', initial: 5 } } }],
    ['inbound.concurrency.limit.min', { concurrency: { limit: { kind: 'aimd', min: 9, max: 8 } } }],
    ['inbound.concurrency.limit.initial', { concurrency: { limit: { kind: 'aimd', initial: 9, max: 8 } } }],
    ['inbound.concurrency.queue.size', { concurrency: { queue: { size: -1 } } }],
    ['inbound.concurrency.shares', { concurrency: { shares: { critical: 0.7, sheddable: 0.4 } } }],
    ['inbound.concurrency.shares.critical', { concurrency: { shares: { critical: 1.1 } } }],
    ['inbound.deadline.default', { deadline: { default: false } }],
    ['inbound.deadline.margin', { deadline: { margin: '-20ms' } }],
    ['inbound.deadline.headers[0].unit', { deadline: { headers: [{ header: 'x-left', unit: 'h' }] } }],
    ['inbound.deadline.headers[0].header', { deadline: { headers: [{ header: 'x left', unit: 's' }] } }],
    ['inbound.trust[1]', { trust: ['10.0.0.0/8', '10.0.0.0/33'] }],
    ['inbound.trust', { trust: '10.0.0.0/8' }],
    ['inbound.onDisconnect', { onDisconnect: true }],
  ])('%s in %j', (path, inbound) => {
    expect(refusal({ inbound }).issues.map((issue) => issue.path)).toEqual(
      path === 'inbound.concurrency.shares.critical' ? [path, 'inbound.concurrency.shares'] : [path],
    );
  });

  test('an ignored finding needs an id and a reason', () => {
    const { issues } = refusal({ check: { ignore: [{ id: 'SW101' }, { id: 'slow', reason: ' ' }] } });
    expect(issues.map(({ path }) => path)).toEqual([
      'check.ignore[0].reason',
      'check.ignore[1].id',
      'check.ignore[1].reason',
    ]);
  });

  test('names of dependencies are fit for a header, also when JSON hides them', () => {
    const { issues, message } = refusal({
      dependencies: JSON.parse('{ "__proto__": { "deadline": 0 }, "a b": {}, "": {}, "db:main/1": {} }'),
    });
    expect(issues.map(({ path }) => path)).toEqual([
      'dependencies["a b"]',
      'dependencies[""]',
      'dependencies.__proto__',
    ]);
    expect(message).toContain('Give a name of 1 to 100 letters');
  });

  test.each([null, 3, 'config', [], () => ({})])('%p is no configuration', (config) => {
    expect(refusal(config).message).toMatch(/the configuration is .* Give an object of options\./);
  });
});

describe('an unknown option', () => {
  test.each([
    [{ brekaer: false }, "dependencies.quotes.brekaer is no option. Did you mean 'breaker'?"],
    [
      { breaker: { minCall: 5 } },
      "dependencies.quotes.breaker.minCall is no option. Did you mean 'minCalls'?",
    ],
    [{ openFor: '5s' }, "dependencies.quotes.openFor is no option. Did you mean 'breaker.openFor'?"],
    [{ timeout: 500 }, "'deadline' bounds the operation, 'attempt.timeout' one attempt."],
    [{ retries: 3 }, "Did you mean 'retry.attempts' (which counts the first attempt too)?"],
    [{ circuitBreaker: {} }, "Did you mean 'breaker'?"],
    [{ headers: {} }, "Did you mean 'client.headers'?"],
    [{ bulkhead: { hedging: 3 } }, 'Known here: concurrent, queue, wait, detachAfter, mode.'],
  ])('%j is refused with the nearest known name', (options, advice) => {
    expect(ofQuotes(options).message).toContain(advice);
  });

  test('is found at the root, in defaults and in inbound too', () => {
    const { message } = refusal({
      dependancies: {},
      defaults: { baseUrl: 'http://quotes.internal' },
      inbound: { concurency: 5 },
    });
    expect(message).toContain("dependancies is no option. Did you mean 'dependencies'?");
    expect(message).toContain('defaults.baseUrl is no option. Known here:');
    expect(message).toContain("inbound.concurency is no option. Did you mean 'concurrency'?");
  });

  test('never shows its value, which may be anything', () => {
    const { message, issues } = ofQuotes({ authorization: 'Bearer s3cret' });
    expect(message + JSON.stringify(issues)).not.toContain('s3cret');
  });
});

test('all wrong options are listed at once, one a line', () => {
  const { message, issues } = refusal({
    servise: 'x',
    defaults: { retry: { attempts: 0 } },
    dependencies: {
      quotes: { breaker: { probes: 0, window: 0 }, retry: { budget: { ratio: -1, concurent: false } } },
      orders: { deadline: 'soon' },
    },
  });
  expect(issues.map(({ path }) => path).sort()).toEqual([
    'defaults.retry.attempts',
    'dependencies.orders.deadline',
    'dependencies.quotes.breaker.probes',
    'dependencies.quotes.breaker.window',
    'dependencies.quotes.retry.budget.concurent',
    'dependencies.quotes.retry.budget.ratio',
    'servise',
  ]);
  expect(message.split('\n')).toHaveLength(8);
  expect(message).toMatch(/^Spillway's configuration: 7 options are wrong\.\n {2}- /);
});

describe('what is secret stays secret', () => {
  test('credentials and query of a base URL are not shown', () => {
    for (const baseUrl of [
      'http://user:p4ss@quotes.internal/?key=t0ken',
      new URL('http://u:p4ss@q/?t0ken'),
    ]) {
      const { message, issues } = ofQuotes({ baseUrl });
      expect(message).toContain('dependencies.quotes.baseUrl is');
      expect(message + JSON.stringify(issues)).not.toMatch(/p4ss|t0ken/);
    }
  });

  test('nor is the idempotency secret', () => {
    const { message, issues } = refusal({ idempotency: { secret: 'hush'.repeat(300) } });
    expect(issues[0]).toMatchObject({
      path: 'idempotency.secret',
      value: 'a text of 1200 characters (not shown)',
    });
    expect(message).not.toContain('hush');
  });

  test('long and multi-line values are cut to one line', () => {
    const { issues } = ofQuotes({ retry: { owner: `above\n${'x'.repeat(200)}` } });
    expect(issues[0]?.value).toBe(`'above ${'x'.repeat(74)}…'`);
  });
});
