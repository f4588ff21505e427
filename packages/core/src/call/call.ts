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
  /** Made once somebody listens, follows, reads the signal or cancels: most calls end before that. */
  #scope: Scope | undefined;

  constructor(clock: Clock, parent: Call | undefined, workUntil: number) {
    this.clock = clock;
    this.parent = parent;
    this.workUntil = workUntil;
    if (parent !== undefined) this.#join(parent);
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
    const scope = this.#scoped();
    if (scope.controller === undefined) {
      scope.controller = new AbortController();
      if (scope.cancelled) scope.controller.abort(scope.reason);
    }
    return scope.controller.signal;
  }

  /** Ends the work: every waiter, child and signal of this call hears of it before this returns. First reason wins. */
  cancel(reason: unknown): void {
    const scope = this.#scoped();
    if (scope.cancelled) return;
    scope.cancelled = true;
    scope.reason = reason;
    const { first, others } = scope;
    scope.first = undefined;
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
    const scope = this.#scoped();
    // most calls have one listener at a time; those who come first hear of it first
    if (scope.first === undefined && scope.others === undefined) scope.first = listener;
    else if (scope.first !== listener) {
      scope.others ??= new Set();
      scope.others.add(listener);
    }
  }

  unlisten(listener: CancelListener): void {
    const scope = this.#scope;
    if (scope === undefined) return;
    if (scope.first === listener) scope.first = undefined;
    else if (scope.others?.delete(listener) === true && scope.others.size === 0) scope.others = undefined;
  }

  /** How many wait for this call's cancellation. */
  get listenerCount(): number {
    return (this.#scope?.first === undefined ? 0 : 1) + (this.#scope?.others?.size ?? 0);
  }

  /** Also cancels when `signal` aborts, with its reason; `end()` takes the listener off again (C-027). */
  follow(signal: AbortSignal): void {
    if (!signal.aborted) this.#scoped().followed = signal;
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

  #scoped(): Scope {
    this.#scope ??= {
      cancelled: false,
      reason: undefined,
      first: undefined,
      others: undefined,
      controller: undefined,
      followed: undefined,
    };
    return this.#scope;
  }

  #join(parent: Call): void {
    if (parent.cancelled) this.cancel(parent.reason);
    else parent.listen(this);
  }
}

/** What cancellation needs. */
interface Scope {
  cancelled: boolean;
  reason: unknown;
  first: CancelListener | undefined;
  others: Set<CancelListener> | undefined;
  controller: AbortController | undefined;
  /** The signal that it follows. */
  followed: AbortSignal | undefined;
}
