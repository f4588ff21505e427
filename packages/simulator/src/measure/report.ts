import type { OperationOutcome } from '@spillway/core';
import type { Transition } from './dependency-stats.js';
import type { Timeline } from './timeline.js';

export interface Percentiles {
  readonly count: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Work that was done for callers who had gone. */
export interface Wasted {
  readonly count: number;
  readonly ms: number;
}

export interface TrafficReport {
  readonly requests: number;
  /** Answered below 400; degraded ones among them. */
  readonly good: number;
  readonly degraded: number;
  readonly failed: number;
  readonly gaveUp: number;
  /** Good answers of all that ended, 0 to 1. */
  readonly goodShare: number;
  /** Good answers per second of the measured time. */
  readonly goodput: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Of all answers, good or not. */
  readonly latency: Percentiles;
  readonly goodLatency: Percentiles;
  readonly medianFailedMs: number;
}

export interface DependencyReport {
  readonly operations: number;
  readonly attempts: number;
  readonly retries: number;
  /** Attempts per operation. */
  readonly amplification: number;
  readonly outcomes: Readonly<Record<OperationOutcome, number>>;
  /** Good operations per second of the measured time. */
  readonly goodput: number;
  readonly latency: Percentiles;
  /** Half of the operations that failed or were refused took no longer. */
  readonly medianFailedMs: number;
  /** Operations refused without an attempt, by error code. */
  readonly refusals: Readonly<Record<string, number>>;
  /** Operations whose retry loop ended for want of something, by reason. */
  readonly stopped: Readonly<Record<string, number>>;
  /** Retries per operation, and the most of the budget that was in use, 0 to 1. */
  readonly budget: { readonly retriesPerOperation: number; readonly peakUse: number };
  readonly breaker: { readonly transitions: readonly Transition[]; readonly count: number };
  readonly maxInFlight: number;
  readonly wasted: Wasted;
}

export interface ServiceReport {
  readonly requests: number;
  readonly faulted: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Record<string, number>>;
  readonly latency: Percentiles;
  readonly late: number;
  readonly maxInWork: number;
  readonly maxQueued: number;
  readonly wasted: Wasted;
}

/** One run of one variant. On top the dependency in focus, or all of them together. */
export interface VariantReport {
  readonly attempts: number;
  readonly operations: number;
  readonly amplification: number;
  readonly medianFailedMs: number;
  /** Good answers per second to the traffic, and their share of all that ended. */
  readonly goodput: number;
  readonly goodShare: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly wasted: Wasted;
  /** undefined: there was no trouble that ended. null: they had not recovered when the traffic ended. */
  readonly recoveryMs: number | null | undefined;
  readonly troubleFromMs: number | undefined;
  readonly troubleToMs: number | undefined;
  readonly simulatedMs: number;
  readonly measuredMs: number;
  readonly unfinished: number;
  readonly traffic: Readonly<Record<string, TrafficReport>>;
  readonly dependencies: Readonly<Record<string, DependencyReport>>;
  readonly services: Readonly<Record<string, ServiceReport>>;
  readonly timeline: Timeline;
}

/** A condition of the scenario, and whether it held. */
export interface Expectation {
  readonly variant: string;
  readonly condition: string;
  /** What was found. */
  readonly found: number | null;
  readonly holds: boolean;
}

export interface SimulationReport {
  readonly name: string;
  readonly about: string;
  readonly seed: number;
  readonly focus: string | undefined;
  /** False when it was stopped; the report shows what was simulated so far. */
  readonly complete: boolean;
  readonly variants: Readonly<Record<string, VariantReport>>;
  readonly expectations: readonly Expectation[];
}
