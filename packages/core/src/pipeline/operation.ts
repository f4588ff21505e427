import type { Attempt } from '../call/attempt.js';
import type { Call } from '../call/call.js';
import type { Judgement } from '../call/judgement.js';
import type { Outcome } from '../call/outcome.js';
import type { Classify, Duration, FallbackFunction } from '../config/types.js';
import type { InjectedAnswer } from '../policies/fault-options.js';

/** Options of `dependency(name).call(work, options)`. */
export interface CallOptions<A = unknown> {
  /** Rejects with this signal's own reason when it aborts. */
  readonly signal?: AbortSignal;
  /** Overrides the dependency's, never the request's. */
  readonly deadline?: Duration;
  /** The work may be repeated: unlocks retries and the fallback. */
  readonly idempotent?: boolean;
  /** The work carries this idempotency key: unlocks retries. */
  readonly idempotencyKey?: string;
  /** In place of the dependency's; false for none. */
  readonly fallback?: false | FallbackFunction<A>;
  readonly classify?: Classify;
  readonly retry?: false | { readonly attempts?: number };
  /** Tenant for the retry budget and `scope` functions. */
  readonly key?: string;
  /** Low-cardinality name for telemetry. Default `call`. */
  readonly operation?: string;
  /** The call to inherit deadline and cancellation from. */
  readonly parent?: Call;
  /** Reject with the cause itself instead of ERR_UPSTREAM. */
  readonly unwrap?: boolean;
}

/**
 * One operation as a transport hands it to a dependency: what to run, and how to read what comes of it. `.call()`
 * builds it for a function, `@spillway/client` for a request on got.
 */
export interface Operation<T> {
  readonly operation: string;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly origin: string | undefined;
  /** May be sent again although it may have been received. */
  readonly idempotent: boolean;
  /** Goes out with an idempotency key. */
  readonly keyed: boolean;
  /** That key, as it goes out. */
  readonly key?: string | undefined;
  /** One attempt. May throw, may ignore its signal. */
  work(attempt: Attempt): T | Promise<T>;
  /**
   * One attempt that an injected fault answers in the dependency's place: to be judged as if it had. Without it, only
   * latency can be injected.
   */
  pretend?(attempt: Attempt, answer: InjectedAnswer): T | Promise<T>;
  /** Reads an attempt's end by the outcome table. Never throws. */
  judge(outcome: Outcome<T>, attempt: Attempt): Judgement;
  /** Releases an answer that will not be handed on (drains or destroys its body, C-046). */
  discard?(value: T): void;
  /** Names its answer among all of the dependency's, for `staleIfError`; undefined: not to be kept. */
  readonly answerKey?: string | undefined;
  /** What of a good answer may stand in for a later one; undefined: nothing. */
  keep?(value: T): unknown;
  readonly options: CallOptions<unknown>;
}
