import { type Clock, Timer } from '@spillway/core';
import type { ClaimedWrite, OutboxStore } from './outbox-store.js';

/** Keeps a write that is being sent this worker's own. */
export class WriteLease extends Timer {
  readonly #store: OutboxStore;
  readonly #clock: Clock;
  readonly #write: ClaimedWrite;
  readonly #leaseMs: number;
  #ended = false;

  constructor(store: OutboxStore, clock: Clock, write: ClaimedWrite, leaseMs: number) {
    super(false);
    this.#store = store;
    this.#clock = clock;
    this.#write = write;
    this.#leaseMs = leaseMs;
    clock.arm(this, leaseMs / 3);
  }

  onTimer(): void {
    const again = (): void => {
      if (!this.#ended) this.#clock.arm(this, this.#leaseMs / 3);
    };
    // A renewal that fails is tried again while there is a third of the lease left.
    this.#store.renew(this.#write, this.#leaseMs).then(again, again);
  }

  end(): void {
    this.#ended = true;
    this.#clock.disarm(this);
  }
}
