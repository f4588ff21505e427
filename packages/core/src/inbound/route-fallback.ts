import type { ErrorCode } from '../call/error-catalogue.js';
import { hidden, isSpillwayError, type SpillwayError, spillwayError } from '../call/errors.js';
import { type Clock, Timer } from '../time/clock.js';
import { reportFallback } from './inbound-reports.js';
import type { InboundRequest } from './inbound-request.js';

/** Failures that another answer may stand in for. Misuse, cancellation and a caller's faults are none of them. */
const MENDABLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'ERR_DEADLINE_EXCEEDED',
  'ERR_ATTEMPT_TIMEOUT',
  'ERR_BREAKER_OPEN',
  'ERR_BULKHEAD_FULL',
  'ERR_OVERLOADED',
  'ERR_UPSTREAM',
]);

/** Longest a route's fallback may take, unless told otherwise. */
export const FALLBACK_TIMEOUT_MS = 1000;

/** Is `error` a failure of Spillway's that a fallback may answer for? Never a TypeError, never a 404. */
export function isMendable(error: unknown): error is SpillwayError {
  return isSpillwayError(error) && MENDABLE.has(error.code);
}

/**
 * Decides when the fallback of a route runs: when its handler fails with a failure of Spillway's, or, where an
 * answer is due, when half of the margin is left. Once at most, and never once headers are out.
 */
export class RouteFallback extends Timer {
  readonly #request: InboundRequest;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #run: (failure: SpillwayError) => void;
  #begun = false;
  /** Goes on in the context of its own request: timers of one length share the context of whoever armed first. */
  #ring: (() => void) | undefined = undefined;

  /** @param run answers the request in the handler's place */
  constructor(request: InboundRequest, timeoutMs: number, run: (failure: SpillwayError) => void) {
    super(false);
    const { clock } = request.rt;
    this.#request = request;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#run = run;
    const { answerBy, workUntil } = request;
    if (answerBy === Number.POSITIVE_INFINITY) return;
    new Promise<void>((resolve) => {
      this.#ring = resolve;
    }).then(() => this.#due());
    request.standBy(this);
    clock.arm(this, (workUntil + answerBy) / 2 - clock.now());
  }

  /** The handler failed: true when the fallback answers for it, now or already. */
  takes(error: unknown): boolean {
    if (this.#begun) return true;
    if (!isMendable(error) || !this.#request.answerable) return false;
    this.#begin(error);
    return true;
  }

  /** The handler is done: nothing is waited for any more. */
  stop(): void {
    this.#clock.disarm(this);
  }

  override onTimer(): void {
    this.#ring?.();
  }

  #due(): void {
    if (this.#begun || !this.#request.answerable) return;
    // the handler still runs, and may answer while its fallback does
    this.#request.contest();
    this.#begin(spillwayError('ERR_DEADLINE_EXCEEDED', 'The handler did not answer in time'));
  }

  #begin(failure: SpillwayError): void {
    this.#begun = true;
    this.#clock.disarm(this);
    this.#request.extend(this.#timeoutMs);
    this.#run(failure);
  }
}

/** Counts the fallback of a route: it has answered for `failure`, or has failed itself. */
export function countFallback(request: InboundRequest, how: 'used' | 'failed', failure: SpillwayError): void {
  reportFallback(request.rt, how, failure.code);
}

/** Says on the answer who is stood in for. @returns takes it back, for a fallback that failed itself */
export function markDegraded(request: InboundRequest, failure: SpillwayError): () => void {
  const { dependency } = failure;
  const { degraded } = request.call;
  if (dependency === undefined || degraded.has(dependency)) return nothing;
  degraded.add(dependency);
  return () => degraded.delete(dependency);
}

function nothing(): void {
  // somebody else has said so already
}

/**
 * The error of a fallback that failed itself: the failure it stood in for becomes its cause, and gives it a status,
 * so that default error handlers answer as they would have without a fallback.
 */
export function explainFallbackError(error: unknown, failure: SpillwayError): unknown {
  if (typeof error !== 'object' || error === null || !Object.isExtensible(error) || error === failure)
    return error;
  if ((error as { cause?: unknown }).cause === undefined) hidden(error, 'cause', failure);
  const { status, statusCode, headers, expose } = failure;
  for (const [name, value] of Object.entries({
    status,
    statusCode,
    headers,
    expose: expose && isSpillwayError(error),
  })) {
    if (value !== undefined && (error as Record<string, unknown>)[name] === undefined)
      hidden(error, name, value);
  }
  return error;
}
