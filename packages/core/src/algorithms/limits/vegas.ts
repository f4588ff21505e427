import type { Random } from '../../time/random.js';
import type { Limit } from './limit.js';

export interface VegasLimitOptions {
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  /** Weight of a new value, above 0 up to 1. */
  readonly smoothing: number;
  /** What a limit shrinks to; default: by log10 of it. */
  readonly decrease?: (limit: number) => number;
}

/** The baseline is measured anew about every so many times the limit. */
const PROBE_MULTIPLIER = 30;

/**
 * TCP Vegas as in Netflix concurrency-limits: the queue is estimated from the round-trip time against the shortest
 * one seen. Unlike there, a drop never teaches the baseline: what fails fast says nothing about an idle callee (F-26).
 */
export class VegasLimit implements Limit {
  readonly #options: VegasLimitOptions;
  readonly #random: Random;
  #estimate: number;
  /** Shortest round-trip time seen since the last probe; 0 when none was. */
  #baselineMs = 0;
  #samples = 0;
  #probeJitter: number;

  constructor(options: VegasLimitOptions, random: Random) {
    this.#options = options;
    this.#random = random;
    this.#estimate = options.initial;
    this.#probeJitter = this.#drawJitter();
  }

  get limit(): number {
    return Math.max(1, Math.trunc(this.#estimate));
  }

  onSample(_now: number, rttMs: number, inFlight: number, dropped: boolean): void {
    const step = logStep(this.limit);
    if (dropped) this.#moveTo(this.#decreased(step));
    else if (!this.#isBaseline(rttMs) && inFlight * 2 >= this.#estimate) this.#judge(rttMs, step);
  }

  /** Takes the sample as baseline when it is one; such a sample changes no limit. */
  #isBaseline(rttMs: number): boolean {
    this.#samples++;
    const isProbe = this.#probeJitter * PROBE_MULTIPLIER * this.#estimate <= this.#samples;
    if (!isProbe && this.#baselineMs !== 0 && rttMs >= this.#baselineMs) return false;
    this.#baselineMs = rttMs;
    if (!isProbe) return true;
    this.#samples = 0;
    this.#probeJitter = this.#drawJitter();
    return true;
  }

  #judge(rttMs: number, step: number): void {
    const limit = this.#estimate;
    const queued = Math.ceil(limit * (1 - this.#baselineMs / rttMs));
    const alpha = 3 * step;
    const beta = 6 * step;
    if (queued <= step) this.#moveTo(limit + beta);
    else if (queued < alpha) this.#moveTo(limit + step);
    else if (queued > beta) this.#moveTo(this.#decreased(step));
  }

  #decreased(step: number): number {
    const { decrease } = this.#options;
    return decrease === undefined ? this.#estimate - step : decrease(this.#estimate);
  }

  #moveTo(limit: number): void {
    const { min, max, smoothing } = this.#options;
    const bounded = Math.min(max, Math.max(min, limit));
    this.#estimate = (1 - smoothing) * this.#estimate + smoothing * bounded;
  }

  #drawJitter(): number {
    return 0.5 + this.#random() / 2;
  }
}

function logStep(limit: number): number {
  return Math.max(1, Math.trunc(Math.log10(limit)));
}
