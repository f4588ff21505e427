import { LoopLimit, type LoopLimitOptions } from '../algorithms/limits/loop.js';
import type { PermitEnd } from '../algorithms/permit.js';
import { atOrAbove, type Ceiling, type CeilingRuntime, type Crowd } from './ceiling.js';
import { LoopStrain } from './loop-strain.js';
import { CRITICALITIES } from './request-facts.js';
import { type EventLoop, TurnSampler } from './turn-sampler.js';

/** A class counts as present for this long after its last arrival. */
const PRESENT_MS = 1000;
/** Turns shorter than this part of `turn` are not worth measuring one after the other. */
const BRIEF = 0.25;
/** Weight of the newest in the mean time that requests are inside. */
const NEWEST = 0.1;
/** The limit shrinks when more than this share of the time went by in long turns. */
const LONG_SHARE = 0.5;

/** A class above the lowest present is charged no sooner than after so many judgements in a row. */
const PATIENCE = 5;

/** What one criticality class may have inside, together with all above it. */
class ClassLimit {
  limit: LoopLimit;
  /** Most that were inside, of this class and above, since the limit was last judged. */
  peak = 0;
  arrivedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LoopLimitOptions) {
    this.limit = new LoopLimit(options);
  }
}

/**
 * The limit `loop`: while the event loop is not overloaded nobody is refused; while it is, no more than what made its
 * turns long, less a tenth, comes in. It governs CPU and nothing else: requests that wait for a dependency do not
 * lengthen a turn, so they are never refused for it.
 *
 * A limit shrinks once per time that requests stay inside, not once per turn: what it did to those let in shows no
 * sooner. Long turns are charged to the lowest class inside. A class above the lowest one present keeps its limit,
 * unless turns stay long while nothing below it is inside.
 */
export class LoopCeiling implements Ceiling {
  readonly #options: LoopLimitOptions;
  readonly #turnMs: number;
  readonly #max: number;
  readonly #loop: EventLoop;
  readonly #sampler: TurnSampler;
  readonly #strain: LoopStrain;
  readonly #classes: readonly ClassLimit[];
  readonly #crowd: Crowd;
  readonly #relaxed: () => void;
  #stayMs = 0;
  #held = false;
  #judgedAt = 0;
  #longMs = 0;
  #longestMs = 0;
  #shortMs = 0;
  /** So many times in a row turns were long while nothing of the lowest class present was inside. */
  #alone = 0;

  constructor(options: LoopLimitOptions, rt: CeilingRuntime) {
    this.#options = options;
    this.#turnMs = options.turnMs;
    this.#max = options.max;
    this.#crowd = rt.crowd;
    this.#loop = rt.loop;
    this.#relaxed = rt.relaxed;
    this.#strain = new LoopStrain(options.turnMs);
    this.#classes = CRITICALITIES.map(() => new ClassLimit(options));
    const pace = { briefMs: BRIEF * options.turnMs, restMs: options.turnMs };
    this.#sampler = new TurnSampler(rt, pace, (turnMs, now) => this.#onTurn(turnMs, now));
  }

  get limit(): number {
    let lowest = this.#max;
    for (const { limit } of this.#classes) lowest = Math.min(lowest, limit.limit);
    return lowest;
  }

  admits(rank: number, now: number): boolean {
    const limit = this.#classes[rank]?.limit.limit ?? this.#max;
    if (atOrAbove(this.#crowd, rank) < limit) return true;
    return !this.#strain.refuses(this.#sampler.elapsedMs(now), this.#loop.idleMs(), now);
  }

  arrived(rank: number, now: number): void {
    const own = this.#classes[rank];
    if (own !== undefined) own.arrivedAt = now;
    this.#sampler.arrived(now);
  }

  entered(rank: number): void {
    const { ranks } = this.#crowd;
    let inside = 0;
    for (let r = ranks.length - 1; r >= 0; r--) {
      inside += ranks[r] ?? 0;
      const own = this.#classes[r];
      if (r <= rank && own !== undefined && own.peak < inside) own.peak = inside;
    }
  }

  left(end: PermitEnd, tookMs: number): void {
    if (end === 'success') this.#stayMs += NEWEST * (tookMs - this.#stayMs);
  }

  #onTurn(turnMs: number, now: number): void {
    this.#strain.turned(turnMs, this.#loop.idleMs(), now);
    const holds = this.#strain.holds(now);
    if (!holds && this.#held) for (const own of this.#classes) own.limit = new LoopLimit(this.#options);
    const isLong = turnMs > this.#turnMs;
    if (isLong) {
      this.#longMs += turnMs;
      this.#longestMs = Math.max(this.#longestMs, turnMs);
    } else {
      this.#shortMs += turnMs;
      for (const { limit, peak } of this.#classes) limit.onTurn(now, turnMs, peak);
    }
    if (now - this.#judgedAt >= this.#stayMs || (holds && !this.#held)) this.#judge(now);
    this.#held = holds;
    if (!isLong) this.#relaxed();
  }

  #judge(now: number): void {
    const isLong = this.#longMs > LONG_SHARE * (this.#longMs + this.#shortMs);
    if (isLong) this.#charge(now);
    else this.#alone = 0;
    this.#judgedAt = now;
    this.#longMs = 0;
    this.#longestMs = 0;
    this.#shortMs = 0;
    for (const [rank, own] of this.#classes.entries()) own.peak = atOrAbove(this.#crowd, rank);
  }

  #charge(now: number): void {
    const present = this.#classes.findIndex(({ arrivedAt }) => now - arrivedAt < PRESENT_MS);
    const peak = this.#classes[0]?.peak ?? 0;
    // the lowest class inside: from it upwards, counts are smaller than that of all
    const inside = this.#classes.findLastIndex((own) => own.peak === peak);
    if (peak === 0) return;
    this.#alone = inside > present ? this.#alone + 1 : 0;
    if (inside > present && this.#alone < PATIENCE) return;
    const limit = this.#classes[inside]?.limit;
    for (let long = this.#longestMs; long > this.#turnMs; long /= 2) limit?.onTurn(now, long, peak);
  }
}
