import type { Limit } from './limit.js';
import { MovingAverage } from './moving-average.js';

export interface Gradient2LimitOptions {
  readonly initial: number;
  readonly min: number;
  readonly max: number;
  /** Weight of a new value, above 0 up to 1. */
  readonly smoothing: number;
  /** How many times the usual round-trip time is still no sign of overload, 1 or more. */
  readonly tolerance: number;
  /** Room for bursts added to every new limit. Default 4. */
  readonly queueSize?: number;
  /** Samples that the usual round-trip time is averaged over. Default 600. */
  readonly longWindow?: number;
}

const WARM_UP = 10;
const QUEUE_SIZE = 4;
const LONG_WINDOW = 600;
/** A usual time this many times the present one belongs to a worse past, and fades. */
const STALE = 2;
const FADE = 0.95;
const STEEPEST = 0.5;

/**
 * Gradient2 of Netflix concurrency-limits: the limit follows the ratio of the usual round-trip time to the present
 * one. A drop shrinks it by the steepest gradient or its own, teaches the usual time nothing, and never grows it.
 */
export class Gradient2Limit implements Limit {
  readonly #options: Gradient2LimitOptions;
  readonly #usual: MovingAverage;
  #estimate: number;

  constructor(options: Gradient2LimitOptions) {
    this.#options = options;
    this.#usual = new MovingAverage(options.longWindow ?? LONG_WINDOW, WARM_UP);
    this.#estimate = options.initial;
  }

  get limit(): number {
    return Math.max(1, Math.trunc(this.#estimate));
  }

  /** The limit before it is rounded down. */
  get estimate(): number {
    return this.#estimate;
  }

  /** The usual round-trip time in ms; 0 before the first sample. */
  get usualMs(): number {
    return this.#usual.value;
  }

  onSample(_now: number, rttMs: number, inFlight: number, dropped: boolean): void {
    if (dropped) {
      this.#estimate = Math.min(this.#estimate, this.#next(STEEPEST));
      return;
    }
    const usualMs = this.#usual.add(rttMs);
    // the faded value is for the samples to come, not for this one
    if (usualMs / rttMs > STALE) this.#usual.scale(FADE);
    if (inFlight < this.#estimate / 2) return;
    const gradient = rttMs > 0 ? (this.#options.tolerance * usualMs) / rttMs : 1;
    this.#estimate = this.#next(Math.max(STEEPEST, Math.min(1, gradient)));
  }

  #next(gradient: number): number {
    const { min, max, smoothing, queueSize = QUEUE_SIZE } = this.#options;
    const limit = this.#estimate;
    const next = limit * (1 - smoothing) + (limit * gradient + queueSize) * smoothing;
    return Math.max(min, Math.min(max, next));
  }
}
