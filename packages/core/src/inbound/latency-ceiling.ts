import { AimdLimit } from '../algorithms/limits/aimd.js';
import { fixedLimit } from '../algorithms/limits/fixed.js';
import { Gradient2Limit } from '../algorithms/limits/gradient2.js';
import type { Limit } from '../algorithms/limits/limit.js';
import { VegasLimit } from '../algorithms/limits/vegas.js';
import { WindowedLimit } from '../algorithms/limits/windowed.js';
import type { PermitEnd } from '../algorithms/permit.js';
import type { ResolvedLimit } from '../config/resolved.js';
import type { Random } from '../time/random.js';
import type { Ceiling, Crowd } from './ceiling.js';

/** Share of the limit that each class may fill, lowest first: what is left above it is for those more critical. */
const FILL: readonly number[] = [0.8, 0.9, 1, 1];

/** A number, or a limit that learns from how long requests take: fixed, aimd, vegas, gradient. */
export class LatencyCeiling implements Ceiling {
  readonly #limit: Limit;
  readonly #crowd: Crowd;

  constructor(limit: Limit, crowd: Crowd) {
    this.#limit = limit;
    this.#crowd = crowd;
  }

  get limit(): number {
    return this.#limit.limit;
  }

  admits(rank: number): boolean {
    const room = Math.max(1, Math.floor(this.#limit.limit * (FILL[rank] ?? 1)));
    return this.#crowd.total < room;
  }

  postpones(): boolean {
    return false;
  }

  arrived(): void {
    // learns from those who leave
  }

  entered(): void {
    // the same
  }

  left(end: PermitEnd, tookMs: number, now: number): void {
    if (end !== 'ignored') this.#limit.onSample(now, tookMs, this.#crowd.total, end === 'dropped');
  }
}

/** The algorithm of a configured limit other than `loop`. */
export function limitOf(options: Exclude<ResolvedLimit, { readonly kind: 'loop' }>, random: Random): Limit {
  switch (options.kind) {
    case 'fixed':
      return fixedLimit(options.limit);
    case 'aimd':
      return new AimdLimit(options);
    case 'vegas':
      return new WindowedLimit(new VegasLimit(options, random));
    case 'gradient':
      return new WindowedLimit(new Gradient2Limit(options));
  }
}
