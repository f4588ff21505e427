/** How far back it looks, about: what happened this long ago counts a third. */
const MEMORY_MS = 100;
/** Share of the last time spent in long turns at which the loop is overloaded. */
const OVERLOADED = 0.5;
/** So many long turns must have come in that time. */
const FEWEST_TURNS = 2;
/** One turn counts as at most so many times `turn`, so that a single stall is never overload. */
const LONGEST_COUNTED = 3;
/**
 * After the last sign of overload the limit stays in force as long again as the overload has lasted, within these:
 * what is let in meanwhile shows only later.
 */
const SHORTEST_HOLD_MS = 30;
const LONGEST_HOLD_MS = 1000;
/** Share of time with something to do below which a loop is idle, whatever it has been through. */
const IDLE = 0.5;

/**
 * Tells an overloaded event loop from one that stalled once: a collection of garbage, or the first request after
 * start, makes one long turn and refuses nobody. Overload makes long turns again and again.
 */
export class LoopStrain {
  readonly #turnMs: number;
  /** Time in long turns, fading. */
  #longMs = 0;
  /** Number of long turns, fading. */
  #longTurns = 0;
  /** Share of time with something to do, fading. */
  #busy = 0;
  #at = 0;
  #idleMs = 0;
  #since = 0;
  #holdsUntil = Number.NEGATIVE_INFINITY;

  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  /** Is the limit in force? */
  holds(now: number): boolean {
    return now < this.#holdsUntil;
  }

  /**
   * A turn of `turnMs` was measured; it ended now.
   * @param idleMs how long the loop has been idle so far, ever
   */
  turned(turnMs: number, idleMs: number, now: number): void {
    const elapsedMs = now - this.#at;
    this.#busy = this.#busyAt(idleMs, now);
    const isLong = turnMs > this.#turnMs;
    const countedMs = Math.min(turnMs, LONGEST_COUNTED * this.#turnMs);
    // a turn that is longer than all memory must not wipe it out
    const kept = Math.exp((turnMs - countedMs - elapsedMs) / MEMORY_MS);
    this.#longMs = this.#longMs * kept + (isLong ? countedMs : 0);
    this.#longTurns = this.#longTurns * kept + (isLong ? 1 : 0);
    this.#at = now;
    this.#idleMs = idleMs;
    if (!this.#isOverloaded(this.#longMs, this.#longTurns)) return;
    if (now >= this.#holdsUntil) this.#since = now;
    const holdMs = Math.min(LONGEST_HOLD_MS, Math.max(SHORTEST_HOLD_MS, now - this.#since));
    this.#holdsUntil = now + holdMs;
  }

  /**
   * Must those above the limit be refused at present? Never by an idle loop.
   * @param elapsedMs how long the present turn has lasted so far
   */
  refuses(elapsedMs: number, idleMs: number, now: number): boolean {
    if (now >= this.#holdsUntil) {
      if (elapsedMs <= this.#turnMs) return false;
      const counted = Math.min(elapsedMs, LONGEST_COUNTED * this.#turnMs);
      if (!this.#isOverloaded(this.#longMs + counted, this.#longTurns + 1)) return false;
    }
    return this.#busyAt(idleMs, now) >= IDLE;
  }

  #busyAt(idleMs: number, now: number): number {
    const elapsedMs = now - this.#at;
    if (elapsedMs <= 0) return this.#busy;
    const kept = Math.exp(-elapsedMs / MEMORY_MS);
    const busy = 1 - Math.min(1, (idleMs - this.#idleMs) / elapsedMs);
    return this.#busy * kept + busy * (1 - kept);
  }

  #isOverloaded(longMs: number, longTurns: number): boolean {
    return longTurns >= FEWEST_TURNS * 0.8 && longMs >= OVERLOADED * MEMORY_MS;
  }
}
