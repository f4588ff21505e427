import type {
  BreakerSnapshot,
  DependencySnapshot,
  EventOf,
  FaultSnapshot,
  OperationOutcome,
} from '@spillway/core';
import type { BreakerRow, DependencyRow, FaultRow, Series } from '../messages.js';
import { Histogram, quantile } from './histogram.js';
import { Ring } from './ring.js';
import type { Span } from './span.js';
import { count, perSecond, sum, type Tally } from './tally.js';

const OUTCOMES: readonly OperationOutcome[] = ['success', 'degraded', 'failed', 'refused', 'cancelled'];
type Since = (key: string) => number | undefined;

const SEVERITY = ['disabled', 'closed', 'half-open', 'open', 'forced-open'];

/** Codes of operations whose reason is told by an event of its own, or is none of ours. */
const COUNTED: ReadonlySet<string> = new Set([
  'ERR_BREAKER_OPEN',
  'ERR_BULKHEAD_FULL',
  'ERR_CANCELLED',
  'ERR_UPSTREAM',
]);

/** One tick of a dependency. */
interface Sample {
  readonly at: number;
  /** Since the tick before. */
  readonly ms: number;
  readonly outcomes: Readonly<Record<OperationOutcome, number>>;
  readonly operations: number;
  readonly attempts: number;
  readonly failed: number;
  readonly attempted: number;
  readonly ended: number;
  readonly isOpen: boolean;
  readonly refusals: Tally;
  readonly durations: Histogram | undefined;
}

/**
 * One dependency over the last minutes. What it did comes out of the snapshot's running counts; how long it took and
 * why it was refused, out of events, while somebody watches.
 */
export class DependencyTrack {
  readonly #span: Span;
  readonly #samples: Ring<Sample>;
  #before: DependencySnapshot | undefined;
  #durations: Histogram | undefined;
  #refusals: Tally;
  #row: DependencyRow | undefined;

  constructor(span: Span) {
    this.#span = span;
    this.#samples = new Ring(span.history);
  }

  ended({ durationMs, code }: EventOf<'operation.end'>): void {
    this.#durations ??= new Histogram();
    this.#durations.record(durationMs);
    if (code !== undefined && !COUNTED.has(code)) this.refused(code);
  }

  /** @param reason an error's code, or why there was no further attempt */
  refused(reason: string): void {
    this.#refusals = count(this.#refusals, reason);
  }

  /** @param at the wall clock @param ms since the tick before @param since when a breaker came into its state */
  tick(now: DependencySnapshot, at: number, ms: number, since: Since): void {
    const before = this.#before ?? now;
    this.#before = now;
    const outcomes = difference(now.operations, before.operations);
    const ended = OUTCOMES.reduce((all, outcome) => all + outcomes[outcome], 0);
    const attempted = Math.max(0, now.attempts - before.attempts);
    const durations = this.#durations;
    const refusals = this.#refusals;
    this.#durations = undefined;
    this.#refusals = undefined;
    const recent = this.#samples.last(this.#span.recent - 1).map((sample) => sample.durations);
    const breaker = breakerOf(now.breakers, at, since);
    this.#samples.push({
      at,
      ms,
      outcomes,
      ended,
      attempted,
      operations: perSecond(ended, ms),
      attempts: perSecond(attempted, ms),
      failed: perSecond(outcomes.failed + outcomes.refused, ms),
      isOpen: breaker !== null && SEVERITY.indexOf(breaker.state) > 1,
      refusals,
      durations,
    });
    this.#row = this.#rowOf(now, breaker, at, [...recent, durations]);
  }

  get row(): DependencyRow {
    if (this.#row === undefined) throw new RangeError('a row is read after the first tick');
    return this.#row;
  }

  series(): Series {
    // the first look has nothing to compare with
    const samples = this.#samples.all().filter(({ ms }) => ms > 0);
    return {
      at: samples.map(({ at }) => at),
      operations: samples.map(({ operations }) => operations),
      attempts: samples.map(({ attempts }) => attempts),
      failed: samples.map(({ failed }) => failed),
      open: samples.map(({ isOpen }) => (isOpen ? 1 : 0)),
    };
  }

  #rowOf(
    now: DependencySnapshot,
    breaker: BreakerRow | null,
    at: number,
    recent: readonly (Histogram | undefined)[],
  ): DependencyRow {
    const minute = this.#samples.last(this.#span.minute);
    const last = minute.at(-1) as Sample;
    const outcomes = difference(now.operations, now.operations);
    for (const sample of minute) for (const name of OUTCOMES) outcomes[name] += sample.outcomes[name];
    const { budget, bulkhead } = now;
    return {
      breaker,
      operations: last.operations,
      attempts: last.attempts,
      failed: last.failed,
      amplification: amplification(minute),
      outcomes,
      p50: quantile(recent, 0.5),
      p99: quantile(recent, 0.99),
      inFlight: now.inFlight,
      budget:
        budget === undefined
          ? null
          : { granted: budget.granted, allowed: Math.floor(budget.allowed), retrying: budget.retrying },
      slots: bulkhead ?? null,
      refusals: sum(minute.map(({ refusals }) => refusals)),
      faults: now.faults.map((fault) => faultOf(fault, at)),
    };
  }
}

function amplification(samples: readonly Sample[]): number | null {
  let ended = 0;
  let attempted = 0;
  for (const sample of samples) {
    ended += sample.ended;
    attempted += sample.attempted;
  }
  return ended === 0 ? null : Math.round((attempted / ended) * 100) / 100;
}

/** Counts start anew with `spillway.reset()`. */
function difference(
  now: Readonly<Record<OperationOutcome, number>>,
  before: Readonly<Record<OperationOutcome, number>>,
): Record<OperationOutcome, number> {
  const gone: Record<OperationOutcome, number> = {
    success: 0,
    degraded: 0,
    failed: 0,
    refused: 0,
    cancelled: 0,
  };
  for (const name of OUTCOMES) gone[name] = Math.max(0, now[name] - before[name]);
  return gone;
}

function breakerOf(breakers: readonly BreakerSnapshot[], at: number, since: Since): BreakerRow | null {
  const [first] = breakers;
  if (first === undefined) return null;
  let worst = first;
  let notClosed = 0;
  for (const breaker of breakers) {
    if (breaker.state !== 'closed') notClosed++;
    if (SEVERITY.indexOf(breaker.state) > SEVERITY.indexOf(worst.state)) worst = breaker;
  }
  const { key, state, mode, retryAfterMs, calls, failures } = worst;
  const changedAt = since(key);
  return {
    state,
    mode,
    keys: breakers.length,
    notClosed,
    calls,
    failures,
    ...(changedAt === undefined ? {} : { since: changedAt }),
    ...(state === 'open' ? { opensUntil: instant(at + retryAfterMs) } : {}),
  };
}

function faultOf({ leftMs, ...fault }: FaultSnapshot, at: number): FaultRow {
  return leftMs === undefined ? fault : { ...fault, until: instant(at + leftMs) };
}

/** To a tenth of a second: two readings of one instant by two clocks differ by less, and a row should not change for it. */
function instant(wall: number): number {
  return Math.round(wall / 100) * 100;
}
