import type { EventOf, EventType, SpillwayEvent } from '@spillway/core';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function rankOf(level: LogLevel): number {
  return LOG_LEVELS.indexOf(level);
}

type Levels = {
  readonly [K in EventType]?: LogLevel | ((event: EventOf<K>) => LogLevel | undefined);
};

/**
 * What is worth a line, and how loud. What users see is loudest, what befell single attempts comes next, decisions
 * that end in either of them are for whoever wants to know more, and all that went well is for debugging.
 */
const LEVELS: Levels = {
  'operation.end': ({ outcome }) => OF_OUTCOME[outcome],
  'attempt.end': ({ kind }) => (kind === 'answer' ? 'debug' : kind === 'cancelled' ? 'info' : 'warn'),
  'attempt.resend': 'info',
  'attempt.wasted': 'info',
  'retry.scheduled': 'info',
  'retry.stopped': 'info',
  'budget.refused': 'info',
  'breaker.refused': 'info',
  'breaker.transition': ({ to }) => (to === 'open' || to === 'forced-open' ? 'warn' : 'info'),
  'bulkhead.queued': 'debug',
  'bulkhead.dequeued': 'debug',
  'bulkhead.refused': 'info',
  'bulkhead.detached': 'warn',
  'bulkhead.reattached': 'info',
  'fallback.used': 'info',
  'fallback.failed': 'warn',
  'fault.injected': 'info',
  'inbound.refused': 'warn',
  'inbound.deadline': 'warn',
  'inbound.malformed': 'info',
  'inbound.late': 'info',
  'inbound.detached': 'info',
  'inbound.fallback': 'info',
  'idempotency.begin': ({ decision }) => (decision === 'run' ? undefined : 'info'),
  'idempotency.lost': 'warn',
  'idempotency.store-error': 'warn',
  'observer.failed': 'warn',
};

const OF_OUTCOME: Readonly<Record<EventOf<'operation.end'>['outcome'], LogLevel>> = {
  success: 'debug',
  degraded: 'warn',
  failed: 'error',
  refused: 'warn',
  cancelled: 'info',
};

/** Undefined: no line. */
export function levelOf(event: SpillwayEvent): LogLevel | undefined {
  const level = LEVELS[event.type];
  // each row takes events of its own type
  return typeof level === 'function'
    ? (level as (event: SpillwayEvent) => LogLevel | undefined)(event)
    : level;
}
