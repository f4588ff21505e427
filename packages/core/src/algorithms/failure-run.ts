/**
 * Failures in a row, counted only while all of them are younger than `windowMs`, so that after any idle time an old
 * run is forgotten. Holds the instants of the last `length` failures.
 */
export class FailureRun {
  /** A ring, which grows up to its size as it is needed: few breakers ever see that many failures in a row. */
  readonly #instants: number[] = [];
  readonly #size: number;
  readonly #windowMs: number;
  #next = 0;
  #length = 0;

  /**
   * @param length how many in a row are too many
   * @param windowMs Infinity: whatever their age
   */
  constructor(length: number, windowMs: number) {
    this.#size = length;
    this.#windowMs = windowMs;
  }

  /** Adds a failure; true when it completes a run. */
  fail(now: number): boolean {
    const size = this.#size;
    this.#instants[this.#next] = now;
    this.#next = (this.#next + 1) % size;
    this.#length = Math.min(size, this.#length + 1);
    const oldest = this.#instants[this.#next] ?? now;
    return this.#length === size && oldest > now - this.#windowMs;
  }

  /** A success, or a new start: nothing is in a row any more. */
  clear(): void {
    this.#length = 0;
  }
}
