import type { Criticality } from '../telemetry/events.js';
import type { Clock } from '../time/clock.js';
import { Call } from './call.js';
import type { SpillwayError } from './errors.js';

/** What a request told us about itself; from an untrusted peer everything but the deadline is the default. */
export interface RequestFacts {
  readonly method: string;
  /** Attempt number that a trusted caller sent; 1 when none. */
  readonly attempt: number;
  readonly criticality: Criticality;
  /** The Idempotency-Key it came with. */
  readonly idempotencyKey: string | undefined;
  /** Scope of that key: who called. */
  readonly callerScope: string | undefined;
  /** All it came with, for tracers to read theirs. Absent where there are none. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** The call of an inbound request; operations made for it are its children. */
export class RequestCall extends Call {
  #answerBy: number;
  #degraded: Set<string> | undefined;
  #ordinals: Map<string, number> | undefined;
  readonly facts: RequestFacts;
  readonly arrivedAt: number;
  /** The last failure of an operation that no fallback mended; decides X-Should-Retry and Retry-After of a 5xx. */
  failure: SpillwayError | undefined;
  /** Largest number of attempts that one unmended operation made. */
  attemptsMade = 0;
  /** A dependency answered `X-Should-Retry: false`; it is passed on. */
  toldNotToRetry = false;
  /** Dependencies for which a fallback answered: `X-Degraded`. */
  get degraded(): Set<string> {
    this.#degraded ??= new Set();
    return this.#degraded;
  }

  /** Operations so far, by dependency and operation: the ordinal of a derived idempotency key. */
  get ordinals(): Map<string, number> {
    this.#ordinals ??= new Map();
    return this.#ordinals;
  }

  /** Runs work in the context of this request's handlers; set when they run in one. */
  ambient: ((work: () => void) => void) | undefined;

  constructor(clock: Clock, arrivedAt: number, answerBy: number, workUntil: number, facts: RequestFacts) {
    super(clock, undefined, workUntil);
    this.#answerBy = answerBy;
    this.arrivedAt = arrivedAt;
    this.facts = facts;
  }

  override get answerBy(): number {
    return this.#answerBy;
  }

  override set answerBy(instant: number) {
    this.#answerBy = instant;
  }

  /** Whoever listens goes on in this request's context, not in that of the timer or the socket that ended it. */
  override cancel(reason: unknown): void {
    if (this.ambient === undefined) super.cancel(reason);
    else this.ambient(() => super.cancel(reason));
  }

  /** The headers are out: from here on operations go by their own deadline alone. */
  headersSent(): void {
    this.answerBy = Number.POSITIVE_INFINITY;
    this.workUntil = Number.POSITIVE_INFINITY;
  }
}

/** The inbound request that a call works for, through operations and fallbacks. */
export function requestOf(call: Call | undefined): RequestCall | undefined {
  let of = call;
  while (of !== undefined && !(of instanceof RequestCall)) of = of.parent;
  return of;
}
