import { Queue, type QueueNode } from './queue.js';

/** Waits for a unit: told in the same turn in which one is handed to it. */
export interface UnitWaiter extends QueueNode<UnitWaiter> {
  /** The unit is this waiter's now, until somebody calls `giveBack()` for it. Must not throw. */
  onUnit(): void;
}

/**
 * Units of concurrency and the bounded queue for them. A unit given back goes to the first in line without ever
 * being free in between, so a newcomer cannot overtake whoever waits.
 */
export class Units {
  readonly limit: number;
  readonly queueLimit: number;
  #inUse = 0;
  readonly #ahead: Queue<UnitWaiter> = new Queue();
  readonly #waiting: Queue<UnitWaiter> = new Queue();

  constructor(limit: number, queueLimit: number) {
    this.limit = limit;
    this.queueLimit = queueLimit;
  }

  get inUse(): number {
    return this.#inUse;
  }

  get queued(): number {
    return this.#ahead.length + this.#waiting.length;
  }

  /** Would a newcomer have to wait? */
  get full(): boolean {
    return this.#inUse >= this.limit || this.queued > 0;
  }

  /**
   * Takes a unit if one is free and nobody waits for it.
   * @param extra units allowed above the limit; with any, those who wait are passed by (a breaker's probe)
   */
  tryTake(extra = 0): boolean {
    if (extra === 0 && this.queued > 0) return false;
    if (this.#inUse >= this.limit + extra) return false;
    this.#inUse++;
    return true;
  }

  /**
   * Puts `waiter` in line after `tryTake` said no; false when the queue is full.
   * @param ahead before all newcomers, behind others of its kind (retries)
   */
  enqueue(waiter: UnitWaiter, ahead: boolean): boolean {
    if (this.queued >= this.queueLimit) return false;
    (ahead ? this.#ahead : this.#waiting).pushTail(waiter);
    return true;
  }

  /** Takes `waiter` out of the line; false when it does not stand there. */
  remove(waiter: UnitWaiter): boolean {
    return this.#ahead.remove(waiter) || this.#waiting.remove(waiter);
  }

  /** Ends the use of one unit: it goes to the first in line, unless it was one above the limit. */
  giveBack(): void {
    if (this.#inUse <= this.limit) {
      const waiter = this.#ahead.shift() ?? this.#waiting.shift();
      if (waiter !== undefined) {
        waiter.onUnit();
        return;
      }
    }
    this.#inUse--;
  }
}
