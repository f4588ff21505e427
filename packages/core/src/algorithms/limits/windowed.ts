import type { Limit } from './limit.js';

export interface WindowedLimitOptions {
  /** Shortest and longest time that samples are gathered for; between them, twice the shortest round-trip. Default 1 s. */
  readonly minWindowMs?: number;
  readonly maxWindowMs?: number;
  /** A window with fewer teaches nothing. Default 10. */
  readonly minSamples?: number;
  /** Samples faster than this are no work, but refusals in disguise. Default 0.1 ms. */
  readonly minRttMs?: number;
}

const WINDOW_MS = 1000;
const MIN_SAMPLES = 10;
const MIN_RTT_MS = 0.1;

/** Gathers samples and hands another limit one per window: their mean time, most in flight, and whether any dropped. */
export class WindowedLimit implements Limit {
  readonly #inner: Limit;
  readonly #options: Required<WindowedLimitOptions>;
  #endsAt = Number.NEGATIVE_INFINITY;
  #samples = 0;
  #sumMs = 0;
  #shortestMs = Number.POSITIVE_INFINITY;
  #peak = 0;
  #dropped = false;

  constructor(inner: Limit, options: WindowedLimitOptions = {}) {
    const { minWindowMs = WINDOW_MS, maxWindowMs = WINDOW_MS } = options;
    const { minSamples = MIN_SAMPLES, minRttMs = MIN_RTT_MS } = options;
    this.#inner = inner;
    this.#options = { minWindowMs, maxWindowMs, minSamples, minRttMs };
  }

  get limit(): number {
    return this.#inner.limit;
  }

  onSample(now: number, rttMs: number, inFlight: number, dropped: boolean): void {
    if (rttMs < this.#options.minRttMs) return;
    this.#gather(rttMs, inFlight, dropped);
    if (this.#endsAt === Number.NEGATIVE_INFINITY) this.#endsAt = now + this.#lengthMs();
    if (now <= this.#endsAt) return;
    if (this.#samples >= this.#options.minSamples) {
      this.#inner.onSample(now, this.#sumMs / this.#samples, this.#peak, this.#dropped);
    }
    this.#endsAt = now + this.#lengthMs();
    this.#clear();
  }

  #gather(rttMs: number, inFlight: number, dropped: boolean): void {
    this.#samples++;
    this.#sumMs += rttMs;
    this.#shortestMs = Math.min(this.#shortestMs, rttMs);
    this.#peak = Math.max(this.#peak, inFlight);
    this.#dropped ||= dropped;
  }

  #lengthMs(): number {
    const { minWindowMs, maxWindowMs } = this.#options;
    return Math.min(maxWindowMs, Math.max(minWindowMs, 2 * this.#shortestMs));
  }

  #clear(): void {
    this.#samples = 0;
    this.#sumMs = 0;
    this.#shortestMs = Number.POSITIVE_INFINITY;
    this.#peak = 0;
    this.#dropped = false;
  }
}
