import { z } from 'zod';
import type { PlacedPolicy } from '../pipeline/slots.js';
import { optionRow } from './option-table.js';
import { allowedWords } from './ranges.js';
import { custom, isFalse, isFunction, oneOf, option, part } from './schema-leaf.js';
import type {
  AttemptConfig,
  BackoffConfig,
  BreakerConfig,
  BudgetConfig,
  BulkheadConfig,
  DefaultsConfig,
  DependencyConfig,
  FallbackOptions,
  RetryConfig,
  SlowConfig,
} from './types.js';

const attempt = (): z.ZodType =>
  part<AttemptConfig>('attempt', {
    timeout: option('attempt.timeout'),
    min: option('attempt.min'),
    connect: option('attempt.connect'),
  });

const backoff = (): z.ZodType =>
  part<BackoffConfig>('retry.backoff', {
    base: option('retry.backoff.base'),
    factor: option('retry.backoff.factor'),
    cap: option('retry.backoff.cap'),
    jitter: option('retry.backoff.jitter'),
  });

const concurrent = (): z.ZodType =>
  part<Exclude<BudgetConfig['concurrent'], false | undefined>>('retry.budget.concurrent', {
    ratio: option('retry.budget.concurrent.ratio'),
    min: option('retry.budget.concurrent.min'),
  });

const budget = (): z.ZodType =>
  part<BudgetConfig>('retry.budget', {
    ratio: option('retry.budget.ratio'),
    window: option('retry.budget.window'),
    minPerSecond: option('retry.budget.minPerSecond'),
    concurrent: oneOf('retry.budget.concurrent', isFalse, concurrent()),
    key: custom((key) => typeof key === 'boolean' || typeof key === 'function', 'true, false or a function'),
    maxKeys: option('retry.budget.maxKeys'),
    mode: option('retry.budget.mode'),
  });

const retry = (): z.ZodType =>
  part<RetryConfig>('retry', {
    attempts: option('retry.attempts'),
    backoff: oneOf('retry.backoff', isFunction, backoff()),
    budget: oneOf('retry.budget', isFalse, budget()),
    maxRetryAfter: option('retry.maxRetryAfter'),
    owner: option('retry.owner'),
    statuses: option('retry.statuses'),
  });

const slow = (): z.ZodType =>
  part<SlowConfig>('breaker.slow', { over: option('breaker.slow.over'), rate: option('breaker.slow.rate') }, [
    'over',
  ]);

const countWindow = (): z.ZodType =>
  part<{ calls: number }>('breaker.window', { calls: option('breaker.window.calls') }, ['calls']);

const judgedProbes = (): z.ZodType =>
  part<{ count: number; rate: number }>(
    'breaker.probes',
    { count: option('breaker.probes.count'), rate: option('breaker.probes.rate') },
    ['count', 'rate'],
  );

const waiting = (): z.ZodType =>
  part<{ wait: number }>('breaker.whenOpen', { wait: option('breaker.whenOpen.wait') }, ['wait']);

const breaker = (): z.ZodType =>
  part<BreakerConfig>('breaker', {
    window: oneOf('breaker.window', option('breaker.openFor'), countWindow()),
    minCalls: option('breaker.minCalls'),
    failureRate: option('breaker.failureRate'),
    consecutive: option('breaker.consecutive'),
    slow: oneOf('breaker.slow', isFalse, slow()),
    openFor: option('breaker.openFor'),
    maxOpenFor: option('breaker.maxOpenFor'),
    jitter: option('breaker.jitter'),
    probes: oneOf('breaker.probes', option('breaker.probes.count'), judgedProbes()),
    observes: option('breaker.observes'),
    scope: option('breaker.scope'),
    maxKeys: option('breaker.maxKeys'),
    whenOpen: oneOf(
      'breaker.whenOpen',
      custom((value) => value === 'refuse', "'refuse'"),
      waiting(),
    ),
    statuses: option('breaker.statuses'),
    mode: option('breaker.mode'),
  });

const bulkhead = (): z.ZodType =>
  part<BulkheadConfig>('bulkhead', {
    concurrent: option('bulkhead.concurrent'),
    queue: option('bulkhead.queue'),
    wait: option('bulkhead.wait'),
    detachAfter: option('bulkhead.detachAfter'),
    mode: option('bulkhead.mode'),
  });

const fallback = (): z.ZodType =>
  part<FallbackOptions<unknown>>(
    'fallback',
    {
      run: option('fallback.run'),
      timeout: option('fallback.timeout'),
      mark: option('fallback.mark'),
    },
    ['run'],
  );

const SLOTS: Readonly<Record<PlacedPolicy['before'], true>> = {
  fallback: true,
  deadline: true,
  retry: true,
  bulkhead: true,
  breaker: true,
  attempt: true,
};

const placed = (): z.ZodType =>
  part<PlacedPolicy>(
    'policies',
    {
      policy: custom(isPolicy, 'a policy made by definePolicy or defineGate'),
      before: custom(
        (slot) => typeof slot === 'string' && Object.hasOwn(SLOTS, slot),
        Object.keys(SLOTS)
          .map((slot) => `'${slot}'`)
          .join(' or '),
      ),
    },
    ['policy', 'before'],
  );

const shared = (): { readonly [K in keyof DefaultsConfig]-?: z.ZodType } => ({
  deadline: option('deadline'),
  attempt: attempt(),
  retry: oneOf('retry', isFalse, retry()),
  breaker: oneOf('breaker', isFalse, breaker()),
  bulkhead: oneOf('bulkhead', isFalse, bulkhead()),
  classify: option('classify'),
  propagate: option('propagate'),
  idempotencyKey: option('idempotencyKey'),
  client: custom(isPlainObject, 'an object of options of got'),
});

/** The options of `defaults`, and of each dependency. */
export function dependencySchemas(): { readonly defaults: z.ZodType; readonly dependency: z.ZodType } {
  const both = shared();
  const dependency = part<DependencyConfig>('', {
    ...both,
    baseUrl: custom(isBaseUrl, 'an http or https URL without credentials, query and fragment'),
    fallback: oneOf('fallback', isFunction, fallback()),
    policies: z.array(placed(), { error: allowedWords(optionRow('policies').range) }),
  });
  return { defaults: part<DefaultsConfig>('defaults', both), dependency };
}

function isPolicy(value: unknown): boolean {
  return isPlainObject(value) && typeof (value as { bind?: unknown }).bind === 'function';
}

function isPlainObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Query and credentials have no place in a base: they would be sent with every path, and show in logs. */
function isBaseUrl(value: unknown): boolean {
  if (!(value instanceof URL) && typeof value !== 'string') return false;
  const text = String(value);
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return username + password + search + hash === '' && !text.includes('?') && !text.includes('#');
}
