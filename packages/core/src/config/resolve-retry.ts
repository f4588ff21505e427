import type { OutcomeKind } from '../call/outcome-table.js';
import { DEFAULTS } from './defaults.js';
import { toMs } from './durations.js';
import type { ResolvedBackoff, ResolvedBudget, ResolvedRetry } from './resolved.js';
import type { BackoffConfig, BudgetConfig, RetryConfig } from './types.js';

const D = DEFAULTS.retry;

export function resolveRetry(retry: RetryConfig): ResolvedRetry {
  return Object.freeze({
    attempts: retry.attempts ?? D.attempts,
    backoff: resolveBackoff(retry.backoff ?? {}),
    budget: retry.budget === false ? undefined : resolveBudget(retry.budget ?? {}),
    maxRetryAfterMs:
      retry.maxRetryAfter === undefined
        ? D.maxRetryAfterMs
        : toMs(retry.maxRetryAfter, 'retry.maxRetryAfter'),
    owner: retry.owner ?? D.owner,
    statuses: retry.statuses === undefined ? undefined : Object.freeze([...retry.statuses]),
  });
}

function resolveBackoff(
  backoff: NonNullable<RetryConfig['backoff']>,
): ResolvedBackoff | ((context: { readonly retry: number; readonly kind: OutcomeKind }) => number) {
  if (typeof backoff === 'function') return (context) => toMs(backoff(context), 'retry.backoff()');
  return Object.freeze(resolveExponential(backoff));
}

/** A default base is never above a written cap, nor a default cap below a written base. */
function resolveExponential({ base, cap, factor, jitter }: BackoffConfig): ResolvedBackoff {
  const { baseMs, capMs } = D.backoff;
  const writtenBase = base === undefined ? undefined : toMs(base, 'retry.backoff.base');
  const writtenCap = cap === undefined ? undefined : toMs(cap, 'retry.backoff.cap');
  return {
    baseMs: writtenBase ?? Math.min(baseMs, writtenCap ?? baseMs),
    factor: factor ?? D.backoff.factor,
    capMs: writtenCap ?? Math.max(capMs, writtenBase ?? capMs),
    jitter: jitter ?? D.backoff.jitter,
  };
}

function resolveBudget(budget: BudgetConfig): ResolvedBudget {
  const { concurrent } = D.budget;
  return Object.freeze({
    ratio: budget.ratio ?? D.budget.ratio,
    windowMs: budget.window === undefined ? D.budget.windowMs : toMs(budget.window, 'retry.budget.window'),
    minPerSecond: budget.minPerSecond ?? D.budget.minPerSecond,
    concurrent:
      budget.concurrent === false
        ? undefined
        : Object.freeze({
            ratio: budget.concurrent?.ratio ?? concurrent.ratio,
            min: budget.concurrent?.min ?? concurrent.min,
          }),
    key: budget.key ?? false,
    maxKeys: budget.maxKeys ?? D.budget.maxKeys,
    mode: budget.mode ?? 'enforce',
  });
}
