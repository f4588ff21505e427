/** A bucket of a `SlidingCount`. */
interface Slot {
  count: number;
  /** Instant of the first thing counted in it. */
  first: number;
  /** Instant of the last. */
  last: number;
}

/** Which buckets count: those wholly inside the window, or those with any part in it. */
export type Rounding = 'down' | 'up';

/**
 * How many things happened in the trailing window, in O(1). `down` never says more than there were (buckets wholly
 * inside the window), `up` never less (buckets even partly inside): a bound made of the two holds exactly.
 */
export class SlidingCount {
  readonly #windowMs: number;
  readonly #slotMs: number;
  readonly #rounding: Rounding;
  readonly #ring: Slot[];
  #oldest = 0;
  #used = 0;
  #total = 0;

  constructor(windowMs: number, rounding: Rounding, slots = 10) {
    this.#windowMs = windowMs;
    this.#slotMs = windowMs / slots;
    this.#rounding = rounding;
    // one more for a bucket that is only partly inside, one for starts that rounding has put closer together
    this.#ring = Array.from({ length: slots + 2 }, () => ({ count: 0, first: 0, last: 0 }));
  }

  add(now: number): void {
    while (this.#used > 0 && !this.#isInside(this.#at(0), now)) this.#dropOldest();
    const slot = this.#current(now);
    slot.count++;
    slot.last = now;
    this.#total++;
  }

  /** Takes back one thing counted at the instant `at`; false when that has left the window or was not there. */
  takeBack(at: number): boolean {
    for (let i = this.#used - 1; i >= 0; i--) {
      const slot = this.#at(i);
      if (at < slot.first) continue;
      if (at > slot.last || slot.count === 0) return false;
      slot.count--;
      this.#total--;
      return true;
    }
    return false;
  }

  /** How many at `now`. Changes nothing. */
  count(now: number): number {
    let total = this.#total;
    for (let i = 0; i < this.#used; i++) {
      const slot = this.#at(i);
      if (this.#isInside(slot, now)) break;
      total -= slot.count;
    }
    return total;
  }

  #isInside(slot: Slot, now: number): boolean {
    return (this.#rounding === 'down' ? slot.first : slot.last) > now - this.#windowMs;
  }

  #at(index: number): Slot {
    return this.#ring[(this.#oldest + index) % this.#ring.length] as Slot;
  }

  #dropOldest(): void {
    this.#total -= this.#at(0).count;
    this.#oldest = (this.#oldest + 1) % this.#ring.length;
    this.#used--;
  }

  #current(now: number): Slot {
    if (this.#used > 0) {
      const last = this.#at(this.#used - 1);
      // a full ring goes on in its last bucket: that may keep a count for longer, never lose one too early
      if (now - last.first < this.#slotMs || this.#used === this.#ring.length) return last;
    }
    const slot = this.#at(this.#used++);
    slot.count = 0;
    slot.first = now;
    return slot;
  }
}
