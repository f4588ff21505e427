import type { ResolvedWindow } from '../config/resolved.js';
import type { BreakerStateName } from '../telemetry/events.js';

export interface BreakerMachineOptions {
  readonly window: ResolvedWindow;
  /** Results below which no rate is judged; a count window needs no more than its size. */
  readonly minCalls: number;
  /** Share of failures that opens, reached exactly included (D1). */
  readonly failureRate: number | undefined;
  /** Failures in a row, all within a time window, that open. */
  readonly consecutive: number | undefined;
  /** A call is slow when it took strictly longer than `overMs`. */
  readonly slow: { readonly overMs: number; readonly rate: number } | undefined;
  readonly openForMs: number;
  readonly maxOpenForMs: number;
  readonly jitter: number;
  readonly probes: { readonly count: number; readonly rate: number | undefined };
  /** A probe that has not settled after this counts as failed. */
  readonly leaseMs: number;
  /** Keep a second window, of whole operations; either may trip. */
  readonly operationsWindow: boolean;
}

export type BreakerResult = 'success' | 'failure' | 'ignored';

/** Told of every change of state, with the instant as of which it holds, and how long it will be open. */
export type OnTransition = (
  from: BreakerStateName,
  to: BreakerStateName,
  now: number,
  openMs?: number,
) => void;
