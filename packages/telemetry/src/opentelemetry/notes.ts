import type { Attributes, Span } from '@opentelemetry/api';
import type { SpillwayEvent } from '@spillway/core';

/** Writes what happened to an operation or an attempt as an event of its span. Times are ms, as in logs. */
export function writeNote(span: Span, event: SpillwayEvent): void {
  const attributes = attributesOf(event);
  if (attributes !== undefined) span.addEvent(event.type, attributes);
}

/** Undefined for events that are no note: they have spans of their own, or belong to no operation. */
function attributesOf(event: SpillwayEvent): Attributes | undefined {
  switch (event.type) {
    case 'retry.scheduled':
      return {
        'spillway.attempt': event.attempt,
        'spillway.reason': event.reason,
        'spillway.backoff_ms': event.delayMs,
        ...(Number.isFinite(event.remainingMs) && {
          'spillway.remaining_deadline_ms': event.remainingMs,
        }),
      };
    case 'retry.stopped':
      return { 'spillway.attempt': event.attempt, 'spillway.stopped': event.stopped };
    case 'budget.refused':
      return { 'spillway.attempt': event.attempt, 'spillway.observed': event.observed };
    case 'breaker.refused':
      return {
        'spillway.state': event.state,
        'spillway.observed': event.observed,
        'spillway.retry_after_ms': event.retryAfterMs,
      };
    case 'bulkhead.refused':
      return { 'spillway.reason': event.reason, 'spillway.observed': event.observed };
    case 'bulkhead.queued':
      return { 'spillway.queued': event.queued };
    case 'bulkhead.dequeued':
      return { 'spillway.waited_ms': event.waitedMs };
    case 'fallback.used':
    case 'fallback.failed':
      return { 'spillway.cause': event.cause };
    case 'attempt.resend':
      return { 'spillway.attempt': event.attempt };
    case 'attempt.wasted':
      return { 'spillway.attempt': event.attempt, 'spillway.late_ms': event.lateMs };
    case 'fault.injected':
      return { 'spillway.attempt': event.attempt, 'spillway.fault': event.fault };
    case 'bulkhead.detached':
      return {};
    default:
      return undefined;
  }
}
