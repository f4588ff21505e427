import type { Attempt } from '../call/attempt.js';
import { type SpillwayError, spillwayError } from '../call/errors.js';
import { type Judgement, judge } from '../call/judgement.js';
import type { Outcome } from '../call/outcome.js';
import type { OutcomeKind } from '../call/outcome-table.js';
import type { ClassifyContext, Verdict } from '../config/types.js';
import type { OperationFacts } from '../pipeline/operation-call.js';

/** Shared verdicts: they say nothing about a particular answer. */
export const REFUSED: Judgement = judge('refused');
export const CANCELLED: Judgement = judge('cancelled');

/**
 * How long an attempt that its caller's time cut short must have had before its end counts against the dependency:
 * `slow.over`, else half of attempt.timeout or five times the mean success where that is lower; never under
 * attempt.min (DESIGN: The outcome table, row "cut").
 */
export function cutThresholdMs(op: OperationFacts): number {
  const { attempt, breaker } = op.runtime.options;
  if (breaker?.slow !== undefined) return Math.max(breaker.slow.overMs, attempt.minMs);
  const mean = op.breaker?.machine.meanSuccessMs;
  const half = attempt.timeoutMs / 2;
  return Math.max(mean === undefined ? half : Math.min(half, 5 * mean), attempt.minMs);
}

/** The error and verdict of an attempt whose time is up. `granted`: what it was given. */
export function timeUp(
  op: OperationFacts,
  attempt: Attempt,
  granted: number,
): { error: SpillwayError; judgement: Judgement } {
  const { name, options } = op.runtime;
  const init = { dependency: name, operation: op.spec.operation, sent: attempt.sent };
  if (granted >= options.attempt.timeoutMs) {
    const kind = attempt.sent === 'no' ? 'unsent' : 'timeout';
    const message = `${name} did not answer within its attempt timeout of ${granted} ms`;
    const judgement = judge(kind, { sent: attempt.sent });
    return {
      error: spillwayError('ERR_ATTEMPT_TIMEOUT', message, init),
      judgement: attempt.waiting ? { ...judgement, breaker: 'ignored' } : judgement,
    };
  }
  const kind = attempt.waiting || granted < cutThresholdMs(op) ? 'cut-early' : 'cut-late';
  return { error: deadlineExceeded(op, attempt.sent), judgement: judge(kind, { sent: attempt.sent }) };
}

export function deadlineExceeded(op: OperationFacts, sent: 'no' | 'maybe' | 'answered'): SpillwayError {
  const { name } = op.runtime;
  return spillwayError('ERR_DEADLINE_EXCEEDED', `The time for ${name} is up`, {
    dependency: name,
    operation: op.spec.operation,
    attempts: op.attempts,
    sent,
  });
}

/** Applies `retry.statuses`, `breaker.statuses`, then the call's or the dependency's `classify`. */
export function override(
  op: OperationFacts,
  attempt: Attempt,
  outcome: Outcome<unknown>,
  base: Judgement,
): Judgement {
  const { options } = op.runtime;
  const classify = op.spec.options.classify ?? options.classify;
  let judgement = base;
  if (base.status !== undefined)
    judgement = byStatuses(options.retry?.statuses, options.breaker?.statuses, base);
  if (classify === undefined || base.kind === 'cancelled' || base.kind === 'refused') return judgement;
  const verdict = classify(outcome.ok ? outcome.value : outcome.error, contextOf(op, attempt, judgement));
  return verdict === undefined ? judgement : applyVerdict(judgement, verdict);
}

function byStatuses(
  retry: readonly number[] | undefined,
  breaker: readonly number[] | undefined,
  base: Judgement,
): Judgement {
  const status = base.status as number;
  let judgement = base;
  if (retry !== undefined && base.kind !== 'in-progress') {
    const listed = retry.includes(status);
    if (listed) judgement = { ...failing(judgement), retry: 'idempotent' };
    else if (judgement.retry === 'idempotent' && isStatusKind(base.kind))
      judgement = { ...judgement, retry: 'never' };
  }
  if (breaker !== undefined && isStatusKind(base.kind)) {
    judgement = { ...judgement, breaker: breaker.includes(status) ? 'failure' : notFailure(judgement) };
  }
  return judgement;
}

function notFailure(judgement: Judgement): 'success' | 'ignored' {
  return judgement.breaker === 'failure' ? 'success' : judgement.breaker;
}

function isStatusKind(kind: OutcomeKind): boolean {
  return (
    kind === 'answer' ||
    kind === 'transient-status' ||
    kind === 'throttled' ||
    kind === 'server-error' ||
    kind === 'server-fault'
  );
}

function contextOf(op: OperationFacts, attempt: Attempt, judgement: Judgement): ClassifyContext {
  const { operation, method, path, idempotent, keyed } = op.spec;
  const { kind, status, sent } = judgement;
  const dependency = op.runtime.name;
  return {
    dependency,
    operation,
    method,
    path,
    attempt: attempt.number,
    idempotent: idempotent || keyed,
    status,
    sent,
    kind,
  };
}

/** `success` and `ignore` hand the caller what came; `failure` makes it a failure of the dependency. */
function applyVerdict(base: Judgement, verdict: Verdict): Judgement {
  if (verdict === 'success')
    return { ...base, retry: 'never', breaker: 'success', fallback: false, caller: 'itself' };
  if (verdict === 'ignore')
    return { ...base, retry: 'never', breaker: 'ignored', fallback: false, caller: 'itself' };
  if (verdict === 'failure') {
    return {
      ...failing(base),
      retry: base.retry === 'never' ? 'idempotent' : base.retry,
      breaker: 'failure',
    };
  }
  const { retry, breaker, fallback, retryAfterMs } = verdict;
  const wantsFailure = retry === true || fallback === true || breaker === 'failure';
  const from = wantsFailure ? failing(base) : base;
  return {
    ...from,
    retry:
      retry === undefined
        ? base.retry
        : retry
          ? base.retry === 'never'
            ? 'idempotent'
            : base.retry
          : 'never',
    breaker: breaker === undefined ? base.breaker : breaker === 'ignore' ? 'ignored' : breaker,
    fallback: fallback ?? from.fallback,
    // what came of a header that was not there, or of a date gone by, asks for no wait (C-052, C-053)
    retryAfterMs: retryAfterMs !== undefined && retryAfterMs >= 0 ? retryAfterMs : base.retryAfterMs,
  };
}

/** A result that counts as a failure reaches its caller as ERR_UPSTREAM, and may be mended by a fallback. */
function failing(base: Judgement): Judgement {
  return base.caller === 'itself' ? { ...base, caller: 'upstream', fallback: true } : base;
}
