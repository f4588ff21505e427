import type { EventOf, EventType } from '@spillway/core';
import type { DependencyFigures } from './dependency-figures.js';
import type { FigureSet } from './figure-set.js';

/** What one spillway's events are counted in. */
export interface Figures {
  /** What is not told apart by dependency. */
  readonly own: FigureSet;
  of(dependency: string): DependencyFigures;
}

type Handlers = { readonly [K in EventType]?: (figures: Figures, event: EventOf<K>) => void };

const OF_RETRIES: Handlers = {
  'attempt.resend': (figures, { dependency }) =>
    figures.of(dependency).set.count('spillway_attempt_resends_total', []),
  'attempt.wasted': (figures, { dependency, lateMs }) => {
    const { set } = figures.of(dependency);
    set.count('spillway_attempts_wasted_total', []);
    set.count('spillway_attempt_wasted_time_seconds_total', [], lateMs / 1000);
  },
  'retry.scheduled': (figures, { dependency, attempt, reason, delayMs }) => {
    const { set } = figures.of(dependency);
    set.count('spillway_retries_total', [attempt > 5 ? '6+' : String(attempt), reason]);
    set.observe('spillway_retry_delay_seconds', undefined, delayMs);
  },
  'retry.stopped': (figures, { dependency, stopped }) =>
    figures.of(dependency).set.count('spillway_retries_stopped_total', [stopped]),
  'budget.refused': (figures, { dependency, observed }) =>
    figures.of(dependency).set.count('spillway_retry_budget_refused_total', [String(observed)]),
  'fallback.used': (figures, { dependency, cause }) =>
    figures.of(dependency).set.count('spillway_fallbacks_total', ['used', cause]),
  'fallback.failed': (figures, { dependency, cause }) =>
    figures.of(dependency).set.count('spillway_fallbacks_total', ['failed', cause]),
  'fault.injected': (figures, { dependency, fault }) =>
    figures.of(dependency).set.count('spillway_faults_injected_total', [fault]),
};

const OF_GUARDS: Handlers = {
  'breaker.transition': (figures, { dependency, key, from, to }) =>
    figures.of(dependency).set.count('spillway_breaker_transitions_total', [key, from, to]),
  'breaker.refused': (figures, { dependency, state, observed }) =>
    figures.of(dependency).set.count('spillway_breaker_refused_total', [state, String(observed)]),
  'breaker.evicted': (figures, { dependency, key }) => {
    const { breakers, set } = figures.of(dependency);
    breakers.forget(key);
    set.count('spillway_breaker_evictions_total', []);
  },
  'bulkhead.queued': (figures, { dependency }) =>
    figures.of(dependency).set.count('spillway_bulkhead_waits_total', []),
  'bulkhead.dequeued': (figures, { dependency, waitedMs }) =>
    figures.of(dependency).set.observe('spillway_bulkhead_wait_seconds', undefined, waitedMs),
  'bulkhead.refused': (figures, { dependency, reason, observed }) =>
    figures.of(dependency).set.count('spillway_bulkhead_refused_total', [reason, String(observed)]),
  'bulkhead.detached': (figures, { dependency }) =>
    figures.of(dependency).set.count('spillway_bulkhead_detachments_total', []),
  'bulkhead.reattached': (figures, { dependency, gaveUp }) =>
    figures.of(dependency).set.count('spillway_bulkhead_reattached_total', [String(gaveUp)]),
};

const OF_REQUESTS: Handlers = {
  'inbound.admitted': ({ own }, { priority, source, deadlineLeftMs }) => {
    own.count('spillway_inbound_admitted_total', [priority]);
    own.observe('spillway_inbound_deadline_left_seconds', source, deadlineLeftMs);
  },
  'inbound.refused': ({ own }, { reason, priority, observed }) =>
    own.count('spillway_inbound_refused_total', [reason, priority, String(observed)]),
  'inbound.expired': ({ own }, { source }) => own.count('spillway_inbound_expired_total', [source]),
  'inbound.malformed': ({ own }, { header }) => own.count('spillway_inbound_malformed_total', [header]),
  'inbound.deadline': ({ own }) => own.count('spillway_inbound_deadline_exceeded_total', []),
  'inbound.late': ({ own }, { how }) => own.count('spillway_inbound_late_total', [how]),
  'inbound.detached': ({ own }) => own.count('spillway_inbound_detachments_total', []),
  'inbound.fallback': ({ own }, { how, code }) => own.count('spillway_inbound_fallbacks_total', [how, code]),
  'inbound.end': ({ own }, { outcome, status, durationMs }) => {
    own.count('spillway_inbound_requests_total', [outcome, classOf(status)]);
    own.observe('spillway_inbound_duration_seconds', outcome, durationMs);
  },
};

const OF_KEYS: Handlers = {
  'idempotency.begin': ({ own }, { decision }) =>
    own.count('spillway_idempotency_requests_total', [decision]),
  'idempotency.end': ({ own }, { outcome, durationMs }) => {
    own.count('spillway_idempotency_runs_total', [outcome]);
    own.observe('spillway_idempotency_run_duration_seconds', outcome, durationMs);
  },
  'idempotency.lost': ({ own }) => own.count('spillway_idempotency_lost_total', []),
  'idempotency.store-error': ({ own }, { operation, timeout }) =>
    own.count('spillway_idempotency_store_errors_total', [operation, String(timeout)]),
};

/** What each event counts, but for the ends of operations and attempts: those are the recorder's own. */
export const HANDLERS: Handlers = { ...OF_RETRIES, ...OF_GUARDS, ...OF_REQUESTS, ...OF_KEYS };

/** A status no server sends is none: a label must not be made of it. */
function classOf(status: number | undefined): string {
  return status !== undefined && status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'none';
}
