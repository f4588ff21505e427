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
  readonly #mostSlots: number;
  #slots = 1;
  /** The oldest bucket in use, and the one written to; in a ring of all, which grows as it is needed. */
  #oldest: Slot;
  #newest: Slot;
  #isEmpty = true;
  /** Until then the newest bucket counts everything, and no bucket leaves. */
  #rollsAt: number = Number.NEGATIVE_INFINITY;
  #total = 0;

  constructor(windowMs: number, rounding: Rounding, slots = 10) {
    this.#windowMs = windowMs;
    this.#slotMs = windowMs / slots;
    this.#rounding = rounding;
    // one more for a bucket that is only partly inside, one for starts that rounding has put closer together
    this.#mostSlots = slots + 2;
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
    if (this.#isEmpty) return false;
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

  #roll(now: number): void {
    while (!this.#isEmpty && !this.#isInside(this.#oldest, now)) this.#dropOldest();
    if (this.#isEmpty || this.#mayBegin(now)) this.#begin(now);
    // the newest bucket's last moves on with every count: what it bounds is asked anew each time
    const leavesAt = this.#isNewestAlone() ? this.#newest.first : this.#bound(this.#oldest);
    this.#rollsAt = Math.min(leavesAt + this.#windowMs, this.#newest.first + this.#slotMs);
  }

  #isNewestAlone(): boolean {
    return this.#oldest === this.#newest;
  }

  /** The instant that decides when a bucket leaves the window. */
  #bound(slot: Slot): number {
    return this.#rounding === 'down' ? slot.first : slot.last;
  }

  #isInside(slot: Slot, now: number): boolean {
    return now < this.#bound(slot) + this.#windowMs;
  }

  #takeFrom(slot: Slot): boolean {
    if (slot.count === 0) return false;
    slot.count--;
    this.#total--;
    return true;
  }

  #dropOldest(): void {
    this.#total -= this.#oldest.count;
    if (this.#oldest === this.#newest) this.#isEmpty = true;
    else this.#oldest = this.#oldest.next;
  }

  // a full ring goes on in its newest bucket: that may keep a count for longer, never lose one too early
  #mayBegin(now: number): boolean {
    return now - this.#newest.first >= this.#slotMs && (this.#newest.next !== this.#oldest || this.#grow());
  }

  #grow(): boolean {
    if (this.#slots === this.#mostSlots) return false;
    this.#slots++;
    this.#newest.next = { count: 0, first: 0, last: 0, next: this.#newest.next };
    return true;
  }

  #begin(now: number): void {
    if (this.#isEmpty) this.#oldest = this.#newest;
    else this.#newest = this.#newest.next;
    this.#isEmpty = false;
    this.#newest.count = 0;
    this.#newest.first = now;
  }
}

function ringOfOne(): Slot {
  const slot = { count: 0, first: 0, last: 0 } as Slot;
  slot.next = slot;
  return slot;
}
