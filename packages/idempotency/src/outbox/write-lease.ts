import { type Clock, Timer } from '@spillway/core';
import type { ClaimedWrite, OutboxStore } from './outbox-store.js';

/** Keeps a write that is being sent this worker's own, and stops the sending once it is not. */
export class WriteLease extends Timer {
  readonly #store: OutboxStore;
  readonly #clock: Clock;
  readonly #write: ClaimedWrite;
  readonly #leaseMs: number;
  readonly #controller = new AbortController();
  #until: number;
  #ended = false;

  constructor(store: OutboxStore, clock: Clock, write: ClaimedWrite, leaseMs: number) {
    super(false);
    this.#store = store;
    this.#clock = clock;
    this.#write = write;
    this.#leaseMs = leaseMs;
    this.#until = clock.now() + leaseMs;
    clock.arm(this, leaseMs / 3);
  }

  /** Aborts when the write is, or may be, another worker's: two must not send it, nor what stands behind it, at once. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isLost(): boolean {
    return this.signal.aborted;
  }

  onTimer(): void {
    if (this.#clock.now() >= this.#until) {
      this.#lose();
      return;
    }
    const asked = this.#clock.now();
    this.#arm();
    this.#store.renew(this.#write, this.#leaseMs).then(
      (isOurs) => (isOurs ? this.#renewed(asked) : this.#lose()),
      // a renewal that fails is tried again while anything is left of the lease
      () => undefined,
    );
  }

  end(): void {
    this.#ended = true;
    this.#clock.disarm(this);
  }

  #renewed(asked: number): void {
    if (this.#ended) return;
    this.#until = asked + this.#leaseMs;
  }

  #arm(): void {
    const left = this.#until - this.#clock.now();
    this.#clock.arm(this, Math.min(this.#leaseMs / 3, left));
  }

  #lose(): void {
    if (this.#ended) return;
    this.end();
    this.#controller.abort(new DOMException('The lease of the write has lapsed', 'AbortError'));
  }
}
