import type { Limit } from './limit.js';

export interface LoopLimitOptions {
  /** Turns of the event loop longer than this are overload. */
  readonly turnMs: number;
  readonly min: number;
  readonly max: number;
}

/** What is kept of the limit when a turn was too long. */
const CUT = 0.9;

/**
 * Goes by the length of the event loop's turns. Node accepts one connection per turn, so under CPU overload the queue
 * stands in the kernel, where no latency of ours shows it. Starts at the maximum: without overload nobody is refused.
 */
export class LoopLimit implements Limit {
  readonly #options: LoopLimitOptions;
  #estimate: number;

  constructor(options: LoopLimitOptions) {
    this.#options = options;
    this.#estimate = options.max;
  }

  get limit(): number {
    return Math.max(1, Math.floor(this.#estimate));
  }

  /** Latencies teach it nothing: slow dependencies are not this server's overload. */
  onSample(_now: number, _rttMs: number, _inFlight: number, _dropped: boolean): void {
    // see onTurn
  }

  /**
   * One turn of the loop, measured after an arrival.
   * @param peakInFlight most that ran at once since the turn before
   */
  onTurn(_now: number, turnMs: number, peakInFlight: number): void {
    const { min, max } = this.#options;
    const limit = this.#estimate;
    if (turnMs > this.#options.turnMs) this.#estimate = Math.max(min, Math.min(limit, peakInFlight) * CUT);
    else if (peakInFlight * 2 >= limit) this.#estimate = Math.min(max, limit + 1 / limit);
  }
}
