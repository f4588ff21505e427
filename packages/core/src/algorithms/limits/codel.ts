export interface CodelOptions {
  /** Waits up to this are good. */
  readonly targetMs: number;
  /** The queue is overloaded when not one wait within such an interval was good. */
  readonly intervalMs: number;
}

/** Controlled delay as in folly and HBase: while the shortest wait of an interval is too long, twice that is dropped. */
export class Codel {
  readonly #options: CodelOptions;
  #intervalEnd: number;
  #fresh = true;
  #shortestMs = 0;
  #overloaded = false;

  constructor(options: CodelOptions, now: number) {
    this.#options = options;
    this.#intervalEnd = now;
  }

  get overloaded(): boolean {
    return this.#overloaded;
  }

  /** Called for everything that leaves the queue: false when it has waited too long to be worth serving. */
  accepts(now: number, waitedMs: number): boolean {
    const { targetMs, intervalMs } = this.#options;
    if (now > this.#intervalEnd && !this.#fresh) {
      this.#fresh = true;
      this.#intervalEnd = now + intervalMs;
      this.#overloaded = this.#shortestMs > targetMs;
    }
    if (this.#fresh) {
      this.#fresh = false;
      this.#shortestMs = waitedMs;
      return true;
    }
    this.#shortestMs = Math.min(this.#shortestMs, waitedMs);
    return !(this.#overloaded && waitedMs > 2 * targetMs);
  }
}
