import { Queue } from '../algorithms/queue.js';
import type { Guest } from './guest.js';
import { CRITICALITIES } from './request-facts.js';

/** Filled above this share of its size, an adaptive queue serves the newest first: they can still make it. */
const CROWDED = 0.8;

export type QueueOrder = 'fifo' | 'lifo' | 'adaptive';

/** Requests that wait to be let in: higher classes first, within a class by the order configured. */
export class WaitingRoom {
  readonly size: number;
  readonly #order: QueueOrder;
  readonly #lines: readonly Queue<Guest>[] = CRITICALITIES.map(() => new Queue<Guest>());
  #waiting = 0;

  constructor(size: number, order: QueueOrder) {
    this.size = size;
    this.#order = order;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get full(): boolean {
    return this.#waiting >= this.size;
  }

  /** How many wait that go before a newcomer of `rank`. */
  ahead(rank: number): number {
    if (this.#waiting === 0) return 0;
    let count = 0;
    const first = this.#newestFirst ? rank + 1 : rank;
    for (let r = first; r < this.#lines.length; r++) count += this.#lines[r]?.length ?? 0;
    return count;
  }

  add(guest: Guest): void {
    this.#lines[guest.rank]?.pushTail(guest);
    this.#waiting++;
  }

  /** Takes `guest` out; false when it does not wait here. */
  remove(guest: Guest): boolean {
    const was = this.#lines[guest.rank]?.remove(guest) ?? false;
    if (was) this.#waiting--;
    return was;
  }

  /** Who of `rank` would be let in next. */
  next(rank: number): Guest | undefined {
    const line = this.#lines[rank];
    return this.#newestFirst ? line?.tail : line?.head;
  }

  /** Takes out who would be let in next of all: the most critical first. */
  shift(): Guest | undefined {
    for (let rank = this.#lines.length - 1; rank >= 0; rank--) {
      const guest = this.next(rank);
      if (guest === undefined) continue;
      this.remove(guest);
      return guest;
    }
    return undefined;
  }

  /** Whoever makes room for a newcomer of `rank`: the newest of the lowest class below it. */
  displaced(rank: number): Guest | undefined {
    for (let r = 0; r < rank; r++) {
      const newest = this.#lines[r]?.tail;
      if (newest !== undefined) return newest;
    }
    return undefined;
  }

  get #newestFirst(): boolean {
    return this.#order === 'lifo' || (this.#order === 'adaptive' && this.#waiting > CROWDED * this.size);
  }
}
