import type { ErrorCode, Sent, StopReason } from '../call/error-catalogue.js';
import type { OutcomeKind } from '../call/outcome-table.js';
import type { IdempotencyEvent } from './idempotency-events.js';

/** How an operation ended, as its user saw it. */
export type OperationOutcome = 'success' | 'degraded' | 'failed' | 'refused' | 'cancelled';
export type BreakerStateName = 'closed' | 'open' | 'half-open' | 'forced-open' | 'disabled';
export type Criticality = 'critical_plus' | 'critical' | 'sheddable_plus' | 'sheddable';

/**
 * What an operation asks for, for those who write it down: read when it is wanted, so that nobody else pays for it.
 * Only method and origin are safe to show; serialised, it shows those and nothing else.
 */
export interface Subject {
  /** Undefined for a function. */
  readonly method: string | undefined;
  readonly origin: string | undefined;
  /** As it goes out, ids and all, without the query. */
  readonly path: string | undefined;
  /** May it be sent again although it may have been received? By its method, a key, or somebody's word. */
  readonly repeatable: boolean;
  /** The first 16 hex digits of the SHA-256 of its idempotency key; undefined when it has none. */
  readonly keyHash: string | undefined;
  /** Attempts it may make at most, the first included. */
  readonly maxAttempts: number;
  /** State of its breaker at this instant; undefined when it has none. */
  readonly breakerState: BreakerStateName | undefined;
  /** Headers of the inbound request that it works for, for tracers to read theirs. */
  readonly inboundHeaders: Readonly<Record<string, string | readonly string[] | undefined>> | undefined;
}

/** What an injected fault does to an attempt. */
export type FaultKind = 'latency' | 'status' | 'error' | 'latency+status' | 'latency+error';

interface Base {
  /** `clock.now()` when it happened. */
  readonly at: number;
}

interface OfDependency extends Base {
  readonly dependency: string;
  /** Low-cardinality name of what was called: the method, or the `operation` option. */
  readonly operation: string;
  /** Identifies one operation within this process. */
  readonly id: number;
}

/** Every event, by `type`. Metrics, traces, logs, dashboard and tests read these and nothing else. */
export type SpillwayEvent =
  | (OfDependency & {
      readonly type: 'operation.start';
      readonly deadlineMs: number;
      readonly subject: Subject;
    })
  | (OfDependency & {
      readonly type: 'operation.end';
      readonly outcome: OperationOutcome;
      readonly code?: ErrorCode | undefined;
      readonly stopped?: StopReason | undefined;
      readonly sent?: Sent | undefined;
      readonly attempts: number;
      readonly durationMs: number;
    })
  | (OfDependency & {
      readonly type: 'attempt.start';
      readonly attempt: number;
      readonly timeoutMs: number;
      readonly remainingMs: number;
    })
  | (OfDependency & {
      readonly type: 'attempt.end';
      readonly attempt: number;
      readonly kind: OutcomeKind;
      readonly result: 'success' | 'failure' | 'ignored';
      readonly status?: number | undefined;
      readonly sent: Sent;
      readonly durationMs: number;
    })
  /** Work that went on after its attempt had been given up: it ended `lateMs` after that. */
  | (OfDependency & { readonly type: 'attempt.wasted'; readonly attempt: number; readonly lateMs: number })
  /** A resend on a stale keep-alive socket: physical work, but no attempt. */
  | (OfDependency & { readonly type: 'attempt.resend'; readonly attempt: number })
  | (OfDependency & {
      readonly type: 'retry.scheduled';
      /** Number of the attempt to come. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: OutcomeKind;
      readonly remainingMs: number;
    })
  /** The budget had nothing left; `observed`: the retry runs all the same. */
  | (OfDependency & { readonly type: 'budget.refused'; readonly attempt: number; readonly observed: boolean })
  | (OfDependency & {
      readonly type: 'retry.stopped';
      readonly attempt: number;
      readonly stopped: StopReason;
    })
  | (Base & {
      readonly type: 'breaker.transition';
      readonly dependency: string;
      readonly key: string;
      readonly from: BreakerStateName;
      readonly to: BreakerStateName;
      readonly openMs?: number | undefined;
    })
  | (OfDependency & {
      readonly type: 'breaker.refused';
      readonly key: string;
      readonly state: BreakerStateName;
      readonly retryAfterMs: number;
      readonly observed: boolean;
    })
  | (Base & { readonly type: 'breaker.evicted'; readonly dependency: string; readonly key: string })
  | (OfDependency & { readonly type: 'bulkhead.queued'; readonly queued: number })
  | (OfDependency & { readonly type: 'bulkhead.dequeued'; readonly waitedMs: number })
  | (OfDependency & {
      readonly type: 'bulkhead.refused';
      readonly reason: 'full' | 'waited' | 'deadline';
      readonly observed: boolean;
    })
  | (OfDependency & { readonly type: 'bulkhead.detached' })
  | (OfDependency & {
      readonly type: 'bulkhead.reattached';
      readonly afterMs: number;
      readonly gaveUp: boolean;
    })
  | (OfDependency & { readonly type: 'fallback.used'; readonly cause: ErrorCode | 'other' })
  | (OfDependency & { readonly type: 'fallback.failed'; readonly cause: ErrorCode | 'other' })
  | (Base & {
      readonly type: 'inbound.admitted';
      readonly deadlineLeftMs: number;
      readonly source: string;
      readonly priority: Criticality;
    })
  | (Base & {
      readonly type: 'inbound.refused';
      readonly reason: 'limit' | 'queue' | 'deadline' | 'codel' | 'draining';
      readonly priority: Criticality;
      readonly retryAfterMs: number;
      readonly observed: boolean;
    })
  | (Base & { readonly type: 'inbound.expired'; readonly source: string })
  | (Base & { readonly type: 'inbound.malformed'; readonly header: string })
  /** We answered 504 because the deadline had passed. */
  | (Base & { readonly type: 'inbound.deadline'; readonly elapsedMs: number })
  /** A handler tried to answer after its 504. */
  | (Base & { readonly type: 'inbound.late'; readonly how: 'answer' | 'error' })
  | (Base & { readonly type: 'inbound.detached' })
  /** The fallback of a route answered in its handler's place, or failed itself. */
  | (Base & {
      readonly type: 'inbound.fallback';
      readonly how: 'used' | 'failed';
      readonly code: ErrorCode;
    })
  | (Base & {
      readonly type: 'inbound.end';
      readonly outcome: 'answered' | 'aborted' | 'failed';
      readonly status?: number | undefined;
      readonly durationMs: number;
    })
  /** An attempt suffers an injected fault; `fault` says of which kind. */
  | (OfDependency & { readonly type: 'fault.injected'; readonly attempt: number; readonly fault: FaultKind })
  | IdempotencyEvent
  | (Base & { readonly type: 'observer.failed'; readonly error: string });

export type EventType = SpillwayEvent['type'];
export type EventOf<K extends EventType> = Extract<SpillwayEvent, { readonly type: K }>;
export type Observer = (event: SpillwayEvent) => void;
