import type { Random } from '../time/random.js';

/** Doublings beyond this change nothing but the risk of an overflow. */
const MOST_DOUBLINGS = 60;

export interface OpenTimeOptions {
  readonly openForMs: number;
  readonly maxOpenForMs: number;
  /** Relative spread, 0 to 1. */
  readonly jitter: number;
}

/** How long a breaker stays open: doubling with each opening that follows a short recovery, spread, bounded. */
export class OpenTime {
  readonly openForMs: number;
  readonly maxOpenForMs: number;
  readonly #jitter: number;
  readonly #random: Random;
  #spread = 1;
  /** Openings since it last was closed for a full window. */
  openings = 0;

  constructor(options: OpenTimeOptions, random: Random) {
    this.openForMs = options.openForMs;
    this.maxOpenForMs = options.maxOpenForMs;
    this.#jitter = options.jitter;
    this.#random = random;
  }

  /**
   * Draws the spread of the next open time. Done before it is needed, when half-open begins: a lapsed lease reopens
   * with nobody asking, and whoever looks has to see the same instant as whoever comes later.
   */
  draw(): void {
    const jitter = this.#jitter;
    this.#spread = jitter === 0 ? 1 : 1 + jitter * (2 * this.#random() - 1);
  }

  /** The next open time, in ms. */
  get nextMs(): number {
    const { openForMs, maxOpenForMs } = this;
    return Math.min(maxOpenForMs, openForMs * 2 ** Math.min(this.openings, MOST_DOUBLINGS) * this.#spread);
  }
}
