/** A bucket of a `SlidingCount`. */
interface Slot {
  count: number;
  /** Instant of the first thing counted in it. */
  first: number;
  /** Instant of the last. */
  last: number;
  next: Slot;
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
  /** The oldest bucket in use, and the one written to; in a ring of all, which grows as it is needed. */
  #oldest: Slot;
  #newest: Slot;
  /** Until then the newest bucket counts everything. */
  #rollsAt: number = Number.NEGATIVE_INFINITY;
  #total = 0;

  constructor(windowMs: number, rounding: Rounding, slots = 10) {
    this.#windowMs = windowMs;
    this.#slotMs = windowMs / slots;
    this.#rounding = rounding;
    this.#oldest = ringOfOne();
    this.#newest = this.#oldest;
  }

  add(now: number): void {
    if (now >= this.#rollsAt) this.#roll(now);
    this.#newest.count++;
    this.#newest.last = now;
    this.#total++;
  }

  /** Takes back one thing counted at the instant `at`; false when that has left the window or was not there. */
  takeBack(at: number): boolean {
    for (let slot = this.#oldest; ; slot = slot.next) {
      if (at <= slot.last) return at >= slot.first && this.#takeFrom(slot);
      if (slot === this.#newest) return false;
    }
  }

  /** How many at `now`. Changes nothing. */
  count(now: number): number {
    let total = this.#total;
    for (let slot = this.#oldest; total > 0 && !this.#isInside(slot, now); slot = slot.next)
      total -= slot.count;
    return total;
  }

  /** Begins a bucket: one that has left the window, or a new one. They are a slot apart: more than fit never live. */
  #roll(now: number): void {
    if (!this.#dropOld(now)) {
      if (this.#newest.next === this.#oldest)
        this.#newest.next = { count: 0, first: 0, last: 0, next: this.#newest.next };
      this.#newest = this.#newest.next;
    }
    this.#newest.count = 0;
    this.#newest.first = now;
    this.#rollsAt = now + this.#slotMs;
  }

  /** Lets go of the buckets that have left the window; true when those were all. */
  #dropOld(now: number): boolean {
    while (!this.#isInside(this.#oldest, now)) {
      this.#total -= this.#oldest.count;
      if (this.#oldest === this.#newest) return true;
      this.#oldest = this.#oldest.next;
    }
    return false;
  }

  #isInside(slot: Slot, now: number): boolean {
    const bound = this.#rounding === 'down' ? slot.first : slot.last;
    return now < bound + this.#windowMs;
  }

  #takeFrom(slot: Slot): boolean {
    if (slot.count === 0) return false;
    slot.count--;
    this.#total--;
    return true;
  }
}

/** A bucket that was never in any window. */
function ringOfOne(): Slot {
  const never = Number.NEGATIVE_INFINITY;
  const slot = { count: 0, first: never, last: never } as Slot;
  slot.next = slot;
  return slot;
}
