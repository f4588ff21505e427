/** Long turns must add up to so many times `turn` before anybody is refused. */
const SUSTAINED_TURNS = 4;
/** More strain than this is not remembered, so that calm returns soon after the load has gone. */
const MOST_TURNS = 12;
/** A short turn takes this share of the time since the last one off the strain. */
const RELIEF = 0.25;

/**
 * Tells an overloaded event loop from one that stalled once: a collection of garbage, or the first request after
 * start, makes one long turn and refuses nobody. Overload makes long turns again and again.
 */
export class LoopStrain {
  readonly #turnMs: number;
  #strainMs = 0;
  #longTurns = 0;
  #lastMs = 0;
  #turnedAt = 0;

  constructor(turnMs: number) {
    this.#turnMs = turnMs;
  }

  /** A turn of `turnMs` was measured; it ended now. */
  turned(turnMs: number, now: number): void {
    if (turnMs > this.#turnMs) {
      this.#longTurns++;
      this.#strainMs = Math.min(MOST_TURNS * this.#turnMs, this.#strainMs + turnMs);
    } else {
      this.#strainMs = Math.max(0, this.#strainMs - RELIEF * (now - this.#turnedAt));
      if (this.#strainMs === 0) this.#longTurns = 0;
    }
    this.#lastMs = turnMs;
    this.#turnedAt = now;
  }

  /**
   * Must those above the limit be refused at present? Never while turns are short.
   * @param elapsedMs how long the present turn has lasted so far
   */
  refuses(elapsedMs: number): boolean {
    const isLong = elapsedMs > this.#turnMs;
    if (!isLong && this.#lastMs <= this.#turnMs) return false;
    const longTurns = this.#longTurns + (isLong ? 1 : 0);
    const strainMs = this.#strainMs + (isLong ? elapsedMs : 0);
    return longTurns >= 2 && strainMs >= SUSTAINED_TURNS * this.#turnMs;
  }
}
