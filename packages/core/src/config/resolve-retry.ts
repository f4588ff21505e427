import { DEFAULTS } from './defaults.js';
import { toMs } from './durations.js';
import { givenTime, raised, trimmed } from './given.js';
import type { WrittenDependency } from './merge.js';
import type { ResolvedBudget, ResolvedRetry } from './resolved.js';
import type { BudgetConfig } from './types.js';

const D = DEFAULTS.retry;

/** `undefined` when left out. */
export function resolveRetry(written: WrittenDependency): ResolvedRetry | undefined {
  const { retry = {} } = written.merged;
  if (retry === false) return undefined;
  return Object.freeze({
    attempts: retry.attempts ?? D.attempts,
    backoff: resolveBackoff(written),
    budget:
      retry.budget === false
        ? undefined
        : retry.budget === undefined
          ? DEFAULT_BUDGET
          : resolveBudget(retry.budget),
    maxRetryAfterMs: givenTime(written, 'retry.maxRetryAfter', retry.maxRetryAfter, D.maxRetryAfterMs).value,
    owner: retry.owner ?? D.owner,
    statuses: retry.statuses === undefined ? undefined : Object.freeze([...retry.statuses]),
  });
}

/** A default base is never above a written cap, nor a default cap below a written base. */
function resolveBackoff(written: WrittenDependency): ResolvedRetry['backoff'] {
  const { retry } = written.merged;
  const backoff = (retry === false ? undefined : retry?.backoff) ?? {};
  if (typeof backoff === 'function') return (context) => toMs(backoff(context), 'retry.backoff()');
  const base = givenTime(written, 'retry.backoff.base', backoff.base, D.backoff.baseMs);
  const cap = givenTime(written, 'retry.backoff.cap', backoff.cap, D.backoff.capMs);
  return Object.freeze({
    baseMs: trimmed(base, cap).value,
    factor: backoff.factor ?? D.backoff.factor,
    capMs: raised(cap, base.value).value,
    jitter: backoff.jitter ?? D.backoff.jitter,
  });
}

/** One for all that say nothing of it: most dependencies. */
const DEFAULT_BUDGET: ResolvedBudget = resolveBudget({});

function resolveBudget(budget: BudgetConfig): ResolvedBudget {
  const { concurrent } = budget;
  return Object.freeze({
    ratio: budget.ratio ?? D.budget.ratio,
    windowMs: budget.window === undefined ? D.budget.windowMs : toMs(budget.window, 'retry.budget.window'),
    minPerSecond: budget.minPerSecond ?? D.budget.minPerSecond,
    concurrent:
      concurrent === false
        ? undefined
        : Object.freeze({
            ratio: concurrent?.ratio ?? D.budget.concurrent.ratio,
            min: concurrent?.min ?? D.budget.concurrent.min,
          }),
    key: budget.key ?? false,
    maxKeys: budget.maxKeys ?? D.budget.maxKeys,
    mode: budget.mode ?? 'enforce',
  });
}
