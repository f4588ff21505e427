import { DEFAULTS } from './defaults.js';
import { toMs } from './durations.js';
import { type Given, givenTime, raised, trimmed } from './given.js';
import { BUILT_IN, type WrittenDependency } from './merge.js';
import { resolveBreaker } from './resolve-breaker.js';
import { resolveRetry } from './resolve-retry.js';
import type { ResolvedBulkhead, ResolvedDependency, ResolvedFallback } from './resolved.js';
import type { DependencyConfig } from './types.js';

const NO_OPTIONS: Readonly<Record<string, unknown>> = Object.freeze({});

/** Fills in and trims one dependency's options. They have been validated. */
export function resolveDependency(written: WrittenDependency): ResolvedDependency {
  const { name, merged } = written;
  const { deadline, timeout, minMs, connectMs } = resolveTimes(written);
  return Object.freeze({
    name,
    baseUrl: merged.baseUrl === undefined ? undefined : new URL(merged.baseUrl),
    deadlineMs: deadline.value,
    attempt: Object.freeze({ timeoutMs: timeout.value, minMs, connectMs }),
    retry: resolveRetry(written),
    breaker: resolveBreaker(written),
    bulkhead: resolveBulkhead(written, deadline),
    fallback: resolveFallback(merged.fallback),
    classify: merged.classify,
    propagate: merged.propagate ?? true,
    idempotencyKey: merged.idempotencyKey ?? true,
    client: merged.client === undefined ? NO_OPTIONS : Object.freeze({ ...merged.client }),
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
function resolveTimes(written: WrittenDependency): Times {
  const { attempt = {}, deadline } = written.merged;
  const asked = givenTime(written, 'deadline', deadline, DEFAULTS.deadlineMs);
  const timeout = trimmed(
    raised(
      givenTime(written, 'attempt.timeout', attempt.timeout, DEFAULTS.attempt.timeoutMs),
      attemptFloor(written.merged),
    ),
    asked.level === BUILT_IN ? undefined : asked,
  );
  const min = trimmed(givenTime(written, 'attempt.min', attempt.min, DEFAULTS.attempt.minMs), timeout);
  const connect = givenTime(written, 'attempt.connect', attempt.connect, Number.POSITIVE_INFINITY);
  return {
    deadline: Number.isFinite(timeout.value) ? raised(asked, timeout.value) : asked,
    timeout,
    minMs: min.value,
    connectMs: attempt.connect === undefined ? undefined : trimmed(connect, timeout).value,
  };
}

/** A default attempt timeout is never so short that another written option could not take effect. */
function attemptFloor({ attempt = {}, breaker }: DependencyConfig): number {
  const slow = breaker === false || breaker?.observes === 'operations' ? undefined : breaker?.slow;
  return Math.max(
    attempt.min === undefined ? 0 : toMs(attempt.min, 'attempt.min'),
    attempt.connect === undefined ? 0 : toMs(attempt.connect, 'attempt.connect'),
    // twice, so that a slow call can be told from one that runs into its timeout
    slow ? 2 * toMs(slow.over, 'breaker.slow.over') : 0,
  );
}

function resolveBulkhead(written: WrittenDependency, deadline: Given): ResolvedBulkhead | undefined {
  const { bulkhead = {} } = written.merged;
  if (bulkhead === false) return undefined;
  const D = DEFAULTS.bulkhead;
  return Object.freeze({
    concurrent: bulkhead.concurrent ?? D.concurrent,
    queue: bulkhead.queue ?? D.queue,
    waitMs: trimmed(givenTime(written, 'bulkhead.wait', bulkhead.wait, D.waitMs), deadline).value,
    detachAfterMs: givenTime(written, 'bulkhead.detachAfter', bulkhead.detachAfter, D.detachAfterMs).value,
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
