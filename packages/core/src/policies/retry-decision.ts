import { backoffDelay } from '../algorithms/backoff.js';
import type { Attempt } from '../call/attempt.js';
import type { StopReason } from '../call/error-catalogue.js';
import type { Judgement } from '../call/judgement.js';
import type { ResolvedRetry } from '../config/resolved.js';
import type { OperationCall } from '../pipeline/operation-call.js';

/** What follows a failed attempt: why the loop ends, or the wait before the next one (0 = now). */
export type Decision = StopReason | number;

/**
 * Decides, before anything waits, whether and when attempt n+1 runs. The budget is asked after this, because
 * asking charges it.
 */
export function decideRetry(
  op: OperationCall,
  attempt: Attempt,
  now: number,
  previousWaitMs: number,
): Decision {
  const retry = op.runtime.options.retry;
  const { judgement } = attempt;
  const never = whyNever(op, judgement);
  if (never !== undefined) return never;
  if (retry === undefined || attempt.number >= maxAttempts(op, retry)) return 'attempts';
  if (op.runtime.phase.current !== 'open') return 'closed';
  const wait = waitBefore(op, retry, attempt, now, previousWaitMs);
  if (typeof wait !== 'number') return wait;
  return isBreakerClosedToRetries(op, now) ? 'breaker' : wait;
}

/** Reasons that no time, attempt or budget could mend. */
function whyNever(op: OperationCall, judgement: Judgement): StopReason | undefined {
  const { idempotent, keyed } = op.spec;
  if (judgement.retry === 'never') return 'not-retryable';
  if (judgement.retry !== 'any-method' && judgement.retry !== 'keyed' && !idempotent && !keyed)
    return 'not-idempotent';
  if (judgement.replayable === false) return 'body-not-replayable';
  const owner = op.runtime.options.retry?.owner ?? 'here';
  if (owner === 'above') return 'owner';
  return owner === 'here' && judgement.shouldRetry === false ? 'should-retry' : undefined;
}

function maxAttempts(op: OperationCall, retry: ResolvedRetry): number {
  const own = op.spec.options.retry;
  if (own === false) return 1;
  return own?.attempts ?? retry.attempts;
}

/** The wait, or the stop that it means: nothing is scheduled that cannot finish before the deadline. */
function waitBefore(
  op: OperationCall,
  retry: ResolvedRetry,
  attempt: Attempt,
  now: number,
  previousWaitMs: number,
): Decision {
  const room = op.workUntil - now - op.runtime.options.attempt.minMs;
  const backoff = backoffFor(op, retry, attempt, previousWaitMs);
  const asked = attempt.judgement.retryAfterMs;
  if (asked === undefined) return backoff <= room ? backoff : 'deadline';
  if (asked > retry.maxRetryAfterMs || asked > room) return 'retry-after';
  if (asked > 0 && backoff > asked) return backoff <= room ? backoff : 'deadline';
  // never earlier than asked, spread by at most 10 %, and the spread never turns what fits into a stop (C-055)
  return asked + Math.min(op.runtime.random() * 0.1 * Math.max(asked, MIN_SPREAD_MS), room - asked);
}

/** An explicit `Retry-After: 0` means now; a millisecond or so still keeps a herd from moving in step. */
const MIN_SPREAD_MS = 10;

function backoffFor(
  op: OperationCall,
  retry: ResolvedRetry,
  attempt: Attempt,
  previousWaitMs: number,
): number {
  const index = attempt.number - 1;
  if (typeof retry.backoff === 'function')
    return retry.backoff({ retry: index, kind: attempt.judgement.kind });
  return backoffDelay(retry.backoff, index, op.runtime.random, previousWaitMs);
}

/** An open breaker ends the loop at once: a sleep would only delay its refusal (C-020). */
function isBreakerClosedToRetries(op: OperationCall, now: number): boolean {
  const breakers = op.runtime.breakers;
  if (breakers === undefined || op.breaker === undefined || op.breaker.mode === 'observe') return false;
  if (breakers.options.observes === 'operations' || breakers.options.waitMs > 0) return false;
  return op.breaker.machine.refusesNow(now);
}
