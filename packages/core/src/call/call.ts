import type { Clock } from '../time/clock.js';

/** Told in the same turn in which a call is cancelled, with the reason. */
export interface CancelListener {
  onCancel(reason: unknown): void;
}

/**
 * One piece of work and its bounds: an inbound request, an operation on a dependency, one attempt, a fallback.
 * Carries the two instants, and a cancel scope that reaches every waiter in the same turn. An AbortSignal is made
 * only when somebody reads `signal`; making one costs more than the rest of a call.
 */
export class Call implements CancelListener {
  readonly clock: Clock;
  parent: Call | undefined;
  /** By this instant the server answers the request, 504 if nothing better. Infinity: nobody asked. */
  answerBy: number;
  /** By this instant the work is over; `answerBy` less the margin. Infinity: unbounded. */
  workUntil: number;
  #listeners: Set<CancelListener> | undefined;
  #controller: AbortController | undefined;
  #cancelled = false;
  #reason: unknown;
  #followed: AbortSignal | undefined;
  #onAbort: (() => void) | undefined;

  constructor(clock: Clock, parent: Call | undefined, answerBy: number, workUntil: number) {
    this.clock = clock;
    this.parent = parent;
    this.answerBy = answerBy;
    this.workUntil = workUntil;
    if (parent !== undefined) this.#join(parent);
  }

  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Why it was cancelled. */
  get reason(): unknown {
    return this.#reason;
  }

  /** Milliseconds until `workUntil`; never negative. */
  remainingMs(): number {
    return Math.max(0, this.workUntil - this.clock.now());
  }

  /** Aborts when the call is cancelled, with the same reason. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancelled) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Ends the work: every waiter, child and signal of this call hears of it before this returns. First reason wins. */
  cancel(reason: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    if (listeners !== undefined) for (const listener of listeners) listener.onCancel(reason);
    this.#controller?.abort(reason);
  }

  /** A parent's cancellation is its children's. */
  onCancel(reason: unknown): void {
    this.cancel(reason);
  }

  listen(listener: CancelListener): void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  unlisten(listener: CancelListener): void {
    this.#listeners?.delete(listener);
  }

  /** How many wait for this call's cancellation. */
  get listenerCount(): number {
    return this.#listeners?.size ?? 0;
  }

  /** Also cancels when `signal` aborts, with its reason; `end()` takes the listener off again (C-027). */
  follow(signal: AbortSignal): void {
    if (signal.aborted) {
      this.cancel(signal.reason);
      return;
    }
    this.#followed = signal;
    this.#onAbort = () => this.cancel(signal.reason);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The call has settled: nothing of it stays with its parent or a followed signal. */
  end(): void {
    this.parent?.unlisten(this);
    if (this.#onAbort !== undefined) this.#followed?.removeEventListener('abort', this.#onAbort);
    this.#followed = undefined;
    this.#onAbort = undefined;
  }

  #join(parent: Call): void {
    if (parent.#cancelled) this.cancel(parent.#reason);
    else parent.listen(this);
  }
}
