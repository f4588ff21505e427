import { group } from '../config/durations.js';
import type { ResolvedBackoff, ResolvedDependency } from '../config/resolved.js';

/** The most that one operation on a dependency can cost. */
export interface WorstCase {
  readonly dependency: string;
  /** Attempts that reach it. */
  readonly attempts: number;
  /** Every attempt at its timeout and every wait at its longest; Infinity when an attempt has no bound. */
  readonly scheduleMs: number;
  /** The schedule, cut by the deadline. */
  readonly timeMs: number;
  /** Attempts that fit into the deadline at their full length. */
  readonly fullAttempts: number;
  /** The sum behind `scheduleMs`: `4 x 1,000 + 700 = 4,700 ms`. */
  readonly arithmetic: string;
}

/** The arithmetic of the retry loop at its worst. Waits of a backoff function are unknown and count as 0. */
export function worstCase(options: ResolvedDependency): WorstCase {
  const attempts = attemptsOf(options);
  const { timeoutMs } = options.attempt;
  const waits = longestWaits(options);
  const waiting = sum(waits);
  const scheduleMs = attempts * timeoutMs + waiting;
  return {
    dependency: options.name,
    attempts,
    scheduleMs,
    timeMs: Math.min(scheduleMs, options.deadlineMs),
    fullAttempts: fullAttempts(options, waits),
    arithmetic: `${group(attempts)} x ${group(timeoutMs)}${waiting === 0 ? '' : ` + ${group(waiting)}`} = ${group(scheduleMs)} ms`,
  };
}

/** Attempts that one operation makes at most. */
export function attemptsOf({ retry }: ResolvedDependency): number {
  return retry === undefined || retry.owner === 'above' ? 1 : retry.attempts;
}

/** The longest wait before each retry, jitter at its worst. */
export function longestWaits({ retry }: ResolvedDependency): number[] {
  if (retry === undefined || retry.owner === 'above') return [];
  const { backoff } = retry;
  return Array.from({ length: retry.attempts - 1 }, (_, i) =>
    typeof backoff === 'function' ? 0 : longestWait(backoff, i + 1),
  );
}

function longestWait({ baseMs, factor, capMs, jitter }: ResolvedBackoff, retry: number): number {
  // decorrelated: at most three times the wait before
  const growth = jitter === 'decorrelated' ? 3 ** retry : factor ** (retry - 1);
  return Math.min(capMs, baseMs * growth);
}

/** The shortest wait before the first retry, jitter at its luckiest. */
export function shortestWait({ retry }: ResolvedDependency): number {
  const backoff = retry?.backoff;
  if (backoff === undefined || typeof backoff === 'function') return 0;
  const base = Math.min(backoff.baseMs, backoff.capMs);
  if (backoff.jitter === 'full') return 0;
  return backoff.jitter === 'equal' ? base / 2 : base;
}

function fullAttempts({ attempt, deadlineMs }: ResolvedDependency, waits: readonly number[]): number {
  let fit = 0;
  let at = 0;
  for (const wait of [0, ...waits]) {
    at += wait + attempt.timeoutMs;
    if (at > deadlineMs) break;
    fit++;
  }
  return fit;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
