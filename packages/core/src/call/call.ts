import type { Clock } from '../time/clock.js';
import { type CancelListener, followSignal, unfollowSignal } from './followers.js';

export type { CancelListener } from './followers.js';

/**
 * One piece of work and its bounds: an inbound request, an operation on a dependency, one attempt, a fallback.
 * Carries the two instants, and a cancel scope that reaches every waiter in the same turn. An AbortSignal is made
 * only when somebody reads `signal`; making one costs more than the rest of a call.
 */
export class Call implements CancelListener {
  readonly clock: Clock;
  parent: Call | undefined;
  /** By this instant the work is over; `answerBy` less the margin. Infinity: unbounded. */
  workUntil: number;
  /** Most calls have one listener at a time. */
  #listener: CancelListener | undefined;
  /** Made once a second one listens, or somebody follows, reads the signal or cancels: most calls end before that. */
  #scope: Scope | undefined;

  constructor(clock: Clock, parent: Call | undefined, workUntil: number) {
    this.clock = clock;
    this.parent = parent;
    this.workUntil = workUntil;
    if (parent === undefined) return;
    if (parent.cancelled) this.cancel(parent.reason);
    else parent.listen(this);
  }

  /** By this instant the server answers the request, 504 if nothing better. Infinity: nobody asked. */
  get answerBy(): number {
    return this.parent?.answerBy ?? Number.POSITIVE_INFINITY;
  }

  get cancelled(): boolean {
    return this.#scope?.cancelled === true;
  }

  /** Why it was cancelled. */
  get reason(): unknown {
    return this.#scope?.reason;
  }

  /** Milliseconds until `workUntil`; never negative. */
  remainingMs(): number {
    return Math.max(0, this.workUntil - this.clock.now());
  }

  /** Aborts when the call is cancelled, with the same reason. */
  get signal(): AbortSignal {
    const scope = Call.#scopeOf(this);
    if (scope.controller === undefined) {
      scope.controller = new AbortController();
      if (scope.cancelled) scope.controller.abort(scope.reason);
    }
    return scope.controller.signal;
  }

  /** Ends the work: every waiter, child and signal of this call hears of it before this returns. First reason wins. */
  cancel(reason: unknown): void {
    const scope = Call.#scopeOf(this);
    if (scope.cancelled) return;
    scope.cancelled = true;
    scope.reason = reason;
    const first = this.#listener;
    const { others } = scope;
    this.#listener = undefined;
    scope.others = undefined;
    first?.onCancel(reason);
    if (others !== undefined) for (const listener of others) listener.onCancel(reason);
    scope.controller?.abort(reason);
  }

  /** A parent's cancellation is its children's, and so is that of a followed signal. */
  onCancel(reason: unknown): void {
    this.cancel(reason);
  }

  listen(listener: CancelListener): void {
    // those who come first hear of it first
    if (this.#listener === undefined && this.#scope?.others === undefined) this.#listener = listener;
    else if (this.#listener !== listener) {
      const scope = Call.#scopeOf(this);
      scope.others ??= new Set();
      scope.others.add(listener);
    }
  }

  unlisten(listener: CancelListener): void {
    if (this.#listener === listener) {
      this.#listener = undefined;
      return;
    }
    const scope = this.#scope;
    if (scope?.others?.delete(listener) === true && scope.others.size === 0) scope.others = undefined;
  }

  /** How many wait for this call's cancellation. */
  get listenerCount(): number {
    return (this.#listener === undefined ? 0 : 1) + (this.#scope?.others?.size ?? 0);
  }

  /** Also cancels when `signal` aborts, with its reason; `end()` takes the listener off again (C-027). */
  follow(signal: AbortSignal): void {
    if (!signal.aborted) Call.#scopeOf(this).followed = signal;
    followSignal(signal, this);
  }

  /** The call has settled: nothing of it stays with its parent or a followed signal. */
  end(): void {
    this.parent?.unlisten(this);
    const scope = this.#scope;
    if (scope?.followed === undefined) return;
    unfollowSignal(scope.followed, this);
    scope.followed = undefined;
  }

  // a private method would cost every call a field
  static #scopeOf(call: Call): Scope {
    call.#scope ??= {
      cancelled: false,
      reason: undefined,
      others: undefined,
      controller: undefined,
      followed: undefined,
    };
    return call.#scope;
  }
}

/** What cancellation needs. */
interface Scope {
  cancelled: boolean;
  reason: unknown;
  others: Set<CancelListener> | undefined;
  controller: AbortController | undefined;
  /** The signal that it follows. */
  followed: AbortSignal | undefined;
}
