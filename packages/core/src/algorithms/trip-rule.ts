import type { BreakerMachineOptions } from './breaker-options.js';
import type { Tally } from './windows.js';

/** When the rates of a window are too much. */
export class TripRule {
  readonly #failureRate: number | undefined;
  readonly #slow: BreakerMachineOptions['slow'];
  readonly #minCalls: number;

  constructor({ window, minCalls, failureRate, slow }: BreakerMachineOptions) {
    this.#failureRate = failureRate;
    this.#slow = slow;
    this.#minCalls = 'ms' in window ? minCalls : Math.min(minCalls, window.calls);
  }

  /** Strictly longer than the limit (D1). */
  isSlow(durationMs: number): boolean {
    return this.#slow !== undefined && durationMs > this.#slow.overMs;
  }

  /** Judged on every result, successes too: one may bring the sample up to the minimum (D2, C-015). */
  isOver({ calls, failures, slow }: Tally): boolean {
    if (calls < this.#minCalls || failures + slow === 0) return false;
    if (this.#failureRate !== undefined && failures / calls >= this.#failureRate) return true;
    return this.#slow !== undefined && slow / calls >= this.#slow.rate;
  }
}
