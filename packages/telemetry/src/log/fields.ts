import { OUTCOME_TABLE, type OutcomeKind, type SpillwayEvent } from '@spillway/core';
import type { RunningOperation } from './running-operation.js';

/** A line of the log as a flat object. Times are ms; what is unknown or without bound is left out. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

/** What every line of an operation says: who, how far, how long, and what the breaker thinks of it. */
export function operationFields(event: SpillwayEvent, running: RunningOperation): LogFields {
  const { start } = running;
  const elapsedMs = event.at - start.at;
  const { attempt } = event as { attempt?: number };
  return {
    operation_id: start.id,
    idempotency_key_hash: running.keyHash,
    attempt_number: attempt,
    max_total_attempts: start.subject.maxAttempts,
    retry_reason: running.reason,
    backoff_ms: finite(running.backoffMs),
    remaining_deadline_ms: finite(Math.max(0, start.deadlineMs - elapsedMs)),
    attempt_timeout_ms: attempt === running.attempt ? finite(running.timeoutMs) : undefined,
    breaker_state: start.subject.breakerState,
    breaker_decision: running.decision,
    dependency: start.dependency,
    operation: start.operation,
    elapsed_total_ms: finite(elapsedMs),
  };
}

/** The same of an operation that has ended, or began before anybody logged. */
export function lateFields(event: SpillwayEvent): LogFields {
  if (!('id' in event)) return {};
  const { id, dependency, operation } = event;
  const { attempt } = event as { attempt?: number };
  return { operation_id: id, attempt_number: attempt, dependency, operation };
}

/** What an event says of itself. Free text is left out but for errors of stores and observers. */
export function eventFields(event: SpillwayEvent, repeatable: boolean | undefined): LogFields {
  switch (event.type) {
    case 'operation.end': {
      const { outcome, code, stopped, sent, attempts } = event;
      return { outcome, code, stopped, sent, attempts };
    }
    case 'attempt.end': {
      const { kind, result, status, sent, durationMs } = event;
      const retryable = repeatable === undefined ? undefined : isRetryable(kind, repeatable);
      return { outcome: result, kind, status, sent, retryable, duration_ms: finite(durationMs) };
    }
    case 'attempt.wasted':
      return { late_ms: finite(event.lateMs) };
    case 'retry.stopped':
      return { stopped: event.stopped };
    case 'breaker.transition':
      return { dependency: event.dependency, from: event.from, to: event.to, open_ms: finite(event.openMs) };
    case 'breaker.refused':
      return {
        breaker_state: event.state,
        observed: event.observed,
        retry_after_ms: finite(event.retryAfterMs),
      };
    case 'bulkhead.refused':
      return { reason: event.reason, observed: event.observed };
    case 'bulkhead.queued':
      return { queued: event.queued };
    case 'bulkhead.dequeued':
      return { waited_ms: finite(event.waitedMs) };
    case 'bulkhead.reattached':
      return { after_ms: finite(event.afterMs), gave_up: event.gaveUp };
    case 'fallback.used':
    case 'fallback.failed':
      return { cause: event.cause };
    default:
      return otherFields(event);
  }
}

function otherFields(event: SpillwayEvent): LogFields {
  switch (event.type) {
    case 'budget.refused':
      return { observed: event.observed };
    case 'fault.injected':
      return { fault: event.fault };
    case 'inbound.refused':
      return { reason: event.reason, priority: event.priority, observed: event.observed };
    case 'inbound.deadline':
      return { elapsed_total_ms: finite(event.elapsedMs) };
    case 'inbound.malformed':
      return { header: event.header };
    case 'inbound.late':
      return { how: event.how };
    case 'inbound.fallback':
      return { how: event.how, code: event.code };
    case 'idempotency.begin':
      return { idempotency_key_hash: event.key, decision: event.decision };
    case 'idempotency.lost':
      return { idempotency_key_hash: event.key };
    case 'idempotency.store-error':
      return { store_operation: event.operation, timeout: event.timeout, error: event.error };
    case 'observer.failed':
      return { error: event.error };
    default:
      return {};
  }
}

/** Would the outcome table let such an attempt be followed by another? */
function isRetryable(kind: OutcomeKind, repeatable: boolean): boolean {
  const { retry } = OUTCOME_TABLE[kind];
  if (retry === 'never') return false;
  return repeatable || retry === 'any-method' || retry === 'keyed' || retry === 'resend';
}

/** Microseconds are enough; what has no bound is not a number. */
function finite(ms: number | undefined): number | undefined {
  return ms === undefined || !Number.isFinite(ms) ? undefined : Math.round(ms * 1000) / 1000;
}
