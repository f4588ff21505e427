import { Timer } from '@spillway/core';
import { type StoreAccess, told } from './store-access.js';
import { pause } from './time-box.js';

/** Records deleted at once: few, so that nobody waits for them. */
const BATCH = 50;
/** Between two batches. Ms. */
const BREATHER_MS = 10;

/** Deletes expired records every so often, in small batches, from the first request on. Keeps no process alive. */
export class Sweeper extends Timer {
  readonly #access: StoreAccess;
  readonly #everyMs: number;
  #closed = false;
  #swept = 0;

  constructor(access: StoreAccess, everyMs: number) {
    super(false);
    this.#access = access;
    this.#everyMs = everyMs;
  }

  /** A record was made: there will be something to sweep. */
  wake(): void {
    if (this.#everyMs === 0 || this.armed || this.#closed) return;
    this.#access.clock.arm(this, this.#everyMs);
  }

  onTimer(): void {
    void this.#batch().catch(told);
  }

  close(): void {
    this.#closed = true;
    this.#access.clock.disarm(this);
  }

  async #batch(): Promise<void> {
    // Armed first: a failing store is asked again next time.
    this.wake();
    const records = await this.#access.sweep(BATCH);
    this.#swept += records;
    if (this.#closed) return;
    if (records === BATCH) this.#access.clock.arm(this, BREATHER_MS);
    else this.#report();
  }

  #report(): void {
    if (this.#swept > 0 && this.#access.heard) {
      this.#access.emit({
        type: 'idempotency.swept',
        at: this.#access.clock.now(),
        records: this.#swept,
      });
    }
    this.#swept = 0;
  }
}

/** All that has expired, batch by batch. @returns how many records went */
export async function sweepAll(access: StoreAccess): Promise<number> {
  let total = 0;
  for (;;) {
    const records = await access.sweep(BATCH);
    total += records;
    if (records < BATCH) return total;
    // A synchronous driver would otherwise hold up the event loop from the first batch to the last.
    await pause(access.clock, 1);
  }
}
