// What the page is sent: one full `snapshot`, then a `tick` with what has changed since. All of it JSON.
import type { BreakerStateName, Criticality, FaultSnapshot, OperationOutcome } from '@spillway/core';

/** Which process speaks: workers of a cluster share a port, and a page may reach another one each time. */
export interface Instance {
  /** Random, new with every dashboard that is made. */
  readonly id: string;
  readonly pid: number;
  readonly service: string;
  /** Wall clock. */
  readonly startedAt: number;
}

/** An injected fault. */
export interface FaultRow extends Omit<FaultSnapshot, 'leftMs'> {
  /** Wall clock; absent when it lasts until it is undone. */
  readonly until?: number;
}

export interface BreakerRow {
  /** Of several keys, the worst. */
  readonly state: BreakerStateName;
  readonly mode: 'enforce' | 'observe';
  /** When it came into this state, wall clock; absent when it always was in it. */
  readonly since?: number;
  /** Wall clock; absent when it is not open. */
  readonly opensUntil?: number;
  readonly keys: number;
  readonly notClosed: number;
  readonly calls: number;
  readonly failures: number;
}

/** One dependency as it is now. Rates are per second; a `null` figure has nothing to be made of. */
export interface DependencyRow {
  readonly breaker: BreakerRow | null;
  /** Operations that ended, over the last tick. */
  readonly operations: number;
  readonly attempts: number;
  /** Operations that failed or were refused. */
  readonly failed: number;
  /** Attempts per operation, over the last minute. */
  readonly amplification: number | null;
  /** Operations of the last minute, by what their users saw. */
  readonly outcomes: Readonly<Record<OperationOutcome, number>>;
  /** Of the operations of the last ten ticks, ms. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly inFlight: number;
  readonly budget: { readonly granted: number; readonly allowed: number; readonly retrying: number } | null;
  readonly slots: {
    readonly inUse: number;
    readonly queued: number;
    readonly detached: number;
    readonly limit: number;
  } | null;
  /** Operations of the last minute that we ended, by reason. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly faults: readonly FaultRow[];
}

export interface InboundRow {
  /** `null`: no limit. */
  readonly limit: number | null;
  readonly inFlight: number;
  readonly queued: number;
  readonly detached: number;
  /** Requests let in, per second, over the last tick. */
  readonly admitted: number | null;
  readonly shed: number | null;
  /** Refused in the last minute, by class and by reason. */
  readonly shedByClass: Readonly<Record<Criticality, number>>;
  readonly shedByReason: Readonly<Record<string, number>>;
  /** Time left on arrival of the requests of the last ten ticks, ms: one in ten had less, one in two had less. */
  readonly left10: number | null;
  readonly left50: number | null;
}

/** Columns of the chart of a dependency, oldest first; `null` where nothing was measured. */
export interface Series {
  readonly at: readonly number[];
  readonly operations: readonly number[];
  readonly attempts: readonly number[];
  readonly failed: readonly number[];
  /** 1 where its breaker was not closed. */
  readonly open: readonly number[];
}

export interface InboundSeries {
  readonly at: readonly number[];
  readonly admitted: readonly (number | null)[];
  readonly shed: readonly (number | null)[];
}

/** A line of the timeline. */
export interface Moment {
  /** Wall clock. */
  readonly at: number;
  readonly dependency: string;
  readonly kind: 'breaker' | 'fault' | 'control';
  readonly key?: string;
  readonly from?: string;
  readonly to?: string;
  readonly openMs?: number;
  readonly text?: string;
}

export interface SnapshotMessage {
  readonly instance: Instance;
  readonly at: number;
  readonly tickMs: number;
  readonly historyMs: number;
  readonly phase: string;
  readonly observerFailures: number;
  readonly inbound: { readonly row: InboundRow; readonly series: InboundSeries };
  readonly dependencies: Readonly<Record<string, { readonly row: DependencyRow; readonly series: Series }>>;
  readonly timeline: readonly Moment[];
}

/** Rows that are not in it are as they were. */
export interface TickMessage {
  readonly at: number;
  readonly phase: string;
  readonly inbound?: InboundRow;
  readonly rows: Readonly<Record<string, DependencyRow>>;
  readonly timeline?: readonly Moment[];
}
