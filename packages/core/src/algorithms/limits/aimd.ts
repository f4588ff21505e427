import type { Limit } from './limit.js';

export interface AimdLimitOptions {
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  /** What is kept of the limit after a drop, 0.5 up to 1. */
  readonly backoffRatio: number;
  /** A sample slower than this counts as a drop. */
  readonly timeoutMs: number;
}

/** Additive increase, multiplicative decrease, as in Netflix concurrency-limits. */
export class AimdLimit implements Limit {
  readonly #options: AimdLimitOptions;
  #limit: number;

  constructor(options: AimdLimitOptions) {
    this.#options = options;
    this.#limit = options.initial;
  }

  get limit(): number {
    return Math.max(1, this.#limit);
  }

  onSample(_now: number, rttMs: number, inFlight: number, dropped: boolean): void {
    const { min, max, backoffRatio, timeoutMs } = this.#options;
    if (dropped || rttMs > timeoutMs) this.#limit = Math.trunc(this.#limit * backoffRatio);
    else if (inFlight * 2 >= this.#limit) this.#limit++;
    this.#limit = Math.min(max, Math.max(min, this.#limit));
  }
}
