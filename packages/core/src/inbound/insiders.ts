import { Queue } from '../algorithms/queue.js';
import type { Guest } from './guest.js';

/** Time that must pass between two searches for streams, for each guest to be looked at: a hundredth of it is spent. */
const PAUSE_MS = 0.01;

/** The guests inside the gate. */
export class Insiders {
  readonly #guests: Queue<Guest> = new Queue();
  #searchedAt = Number.NEGATIVE_INFINITY;

  add(guest: Guest): void {
    this.#guests.pushTail(guest);
  }

  remove(guest: Guest): void {
    this.#guests.remove(guest);
  }

  each(visit: (guest: Guest) => void): void {
    for (let guest = this.#guests.head; guest !== undefined; ) {
      const next: Guest | undefined = guest.nextWaiter;
      visit(guest);
      guest = next;
    }
  }

  /**
   * Those whose headers are out and whose body is still to come. A gate that is full asks again and again: so long as
   * the last search is too recent the answer is "none".
   */
  streams(now: number): readonly Guest[] {
    if (now - this.#searchedAt < PAUSE_MS * this.#guests.length) return NONE;
    this.#searchedAt = now;
    let found: Guest[] | undefined;
    this.each((guest) => {
      if (!guest.isStreaming) return;
      found ??= [];
      found.push(guest);
    });
    return found ?? NONE;
  }
}

const NONE: readonly Guest[] = [];
