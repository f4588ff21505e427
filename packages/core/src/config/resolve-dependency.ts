import { DEFAULTS } from './defaults.js';
import { toMs } from './durations.js';
import { BUILT_IN, type Level, type WrittenDependency } from './merge.js';
import { resolveBreaker } from './resolve-breaker.js';
import { resolveRetry } from './resolve-retry.js';
import type { ResolvedBulkhead, ResolvedDependency, ResolvedFallback } from './resolved.js';
import type { BulkheadConfig, DependencyConfig, Duration } from './types.js';

/** A number with the level of whoever wrote it. */
export interface Given {
  readonly value: number;
  readonly level: Level;
}

/** Fills in and trims one dependency's options. They have been validated. */
export function resolveDependency(written: WrittenDependency): ResolvedDependency {
  const { name, merged } = written;
  const times = resolveTimes(written);
  return Object.freeze({
    name,
    baseUrl: merged.baseUrl === undefined ? undefined : new URL(merged.baseUrl),
    deadlineMs: times.deadline.value,
    attempt: Object.freeze({
      timeoutMs: times.timeout.value,
      minMs: times.minMs,
      connectMs: times.connectMs,
    }),
    retry: merged.retry === false ? undefined : resolveRetry(merged.retry ?? {}),
    breaker: merged.breaker === false ? undefined : resolveBreaker(merged.breaker ?? {}),
    bulkhead: merged.bulkhead === false ? undefined : resolveBulkhead(merged.bulkhead ?? {}, times.deadline),
    fallback: resolveFallback(merged.fallback),
    classify: merged.classify,
    propagate: merged.propagate ?? true,
    idempotencyKey: merged.idempotencyKey ?? true,
    client: Object.freeze({ ...merged.client }),
  });
}

interface Times {
  readonly deadline: Given;
  readonly timeout: Given;
  readonly minMs: number;
  readonly connectMs: number | undefined;
}

/**
 * Deadline and attempt times fit each other: a default of 3 s for an attempt is less under a written deadline of
 * 2 s and more over a written `slow.over` of 4 s; a default deadline is never under a written attempt timeout.
 */
function resolveTimes({ merged, level }: WrittenDependency): Times {
  const { attempt = {} } = merged;
  const built = { value: DEFAULTS.deadlineMs, level: BUILT_IN } as const;
  const asked = given(merged.deadline, level('deadline'), built.value);
  const timeout = trimmed(
    given(attempt.timeout, level('attempt.timeout'), attemptTimeoutFor(merged)),
    asked.level === BUILT_IN ? undefined : asked,
  );
  const finite = Number.isFinite(timeout.value);
  const deadline =
    asked.level === BUILT_IN && finite ? { ...asked, value: Math.max(asked.value, timeout.value) } : asked;
  const min = trimmed(given(attempt.min, level('attempt.min'), DEFAULTS.attempt.minMs), timeout);
  const connect =
    attempt.connect === undefined ? undefined : given(attempt.connect, level('attempt.connect'), 0);
  return {
    deadline,
    timeout,
    minMs: min.value,
    connectMs: connect === undefined ? undefined : trimmed(connect, timeout).value,
  };
}

/** The default attempt timeout: never so short that another written option could not take effect. */
function attemptTimeoutFor({ attempt = {}, breaker }: DependencyConfig): number {
  const slow = breaker === false || breaker?.observes === 'operations' ? undefined : breaker?.slow;
  return Math.max(
    DEFAULTS.attempt.timeoutMs,
    attempt.min === undefined ? 0 : toMs(attempt.min, 'attempt.min'),
    attempt.connect === undefined ? 0 : toMs(attempt.connect, 'attempt.connect'),
    // twice, so that a slow call can be told from one that runs into its timeout
    slow ? 2 * toMs(slow.over, 'breaker.slow.over') : 0,
  );
}

function given(value: Duration | false | undefined, level: Level, builtIn: number): Given {
  if (value === undefined) return { value: builtIn, level: BUILT_IN };
  return { value: value === false ? Number.POSITIVE_INFINITY : toMs(value, 'duration'), level };
}

/** `given`, no more than `bound` where that was written by someone nearer to the dependency. */
function trimmed(given: Given, bound: Given | undefined): Given {
  if (bound === undefined || given.value <= bound.value) return given;
  return given.level === BUILT_IN || given.level < bound.level ? { ...given, value: bound.value } : given;
}

function resolveBulkhead(bulkhead: BulkheadConfig, deadline: Given): ResolvedBulkhead {
  const { concurrent, queue, waitMs, detachAfterMs } = DEFAULTS.bulkhead;
  return Object.freeze({
    concurrent: bulkhead.concurrent ?? concurrent,
    queue: bulkhead.queue ?? queue,
    waitMs:
      bulkhead.wait === undefined ? Math.min(waitMs, deadline.value) : toMs(bulkhead.wait, 'bulkhead.wait'),
    detachAfterMs:
      bulkhead.detachAfter === undefined ? detachAfterMs : toMs(bulkhead.detachAfter, 'bulkhead.detachAfter'),
    mode: bulkhead.mode ?? 'enforce',
  });
}

function resolveFallback(fallback: DependencyConfig['fallback']): ResolvedFallback | undefined {
  if (fallback === undefined) return undefined;
  const options = typeof fallback === 'function' ? { run: fallback } : fallback;
  return Object.freeze({
    run: options.run,
    timeoutMs:
      options.timeout === undefined ? DEFAULTS.fallbackTimeoutMs : toMs(options.timeout, 'fallback.timeout'),
    mark: options.mark ?? true,
  });
}
