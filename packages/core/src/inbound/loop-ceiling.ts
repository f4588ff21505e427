import { LoopLimit, type LoopLimitOptions } from '../algorithms/limits/loop.js';
import { atOrAbove, type Ceiling, type CeilingRuntime, type Crowd } from './ceiling.js';
import { LoopStrain } from './loop-strain.js';
import { CRITICALITIES } from './request-facts.js';
import { TurnSampler } from './turn-sampler.js';

/** A class counts as present for this long after its last arrival. */
const PRESENT_MS = 1000;
/** Turns shorter than this part of `turn` are not worth measuring one after the other. */
const REST = 0.25;

/** What one criticality class may have inside, together with all above it. */
class ClassLimit {
  readonly limit: LoopLimit;
  /** Most that were inside, of this class and above, since the last turn that was measured. */
  peak = 0;
  arrivedAt = Number.NEGATIVE_INFINITY;

  constructor(options: LoopLimitOptions) {
    this.limit = new LoopLimit(options);
  }
}

/**
 * The limit `loop`: as long as turns of the event loop are short nobody is refused; while they are long, no more
 * than what made them long, less a tenth, comes in. It governs CPU and nothing else: requests that wait for a
 * dependency do not lengthen a turn, so they are never refused for it.
 *
 * Long turns are charged to the lowest class inside. A class above the lowest one present keeps its limit, unless
 * turns get longer while nothing below it is inside.
 */
export class LoopCeiling implements Ceiling {
  readonly #turnMs: number;
  readonly #max: number;
  readonly #sampler: TurnSampler;
  readonly #strain: LoopStrain;
  readonly #classes: readonly ClassLimit[];
  readonly #crowd: Crowd;
  readonly #relaxed: () => void;
  #lastTurnMs = 0;

  constructor(options: LoopLimitOptions, rt: CeilingRuntime) {
    this.#turnMs = options.turnMs;
    this.#max = options.max;
    this.#crowd = rt.crowd;
    this.#relaxed = rt.relaxed;
    this.#strain = new LoopStrain(options.turnMs);
    this.#classes = CRITICALITIES.map(() => new ClassLimit(options));
    this.#sampler = new TurnSampler(rt, REST * options.turnMs, (turnMs, now) => this.#onTurn(turnMs, now));
  }

  get limit(): number {
    let lowest = this.#max;
    for (const { limit } of this.#classes) lowest = Math.min(lowest, limit.limit);
    return lowest;
  }

  admits(rank: number, now: number): boolean {
    const limit = this.#classes[rank]?.limit.limit ?? this.#max;
    return atOrAbove(this.#crowd, rank) < limit || !this.#strain.refuses(this.#sampler.elapsedMs(now));
  }

  arrived(rank: number, now: number): void {
    const own = this.#classes[rank];
    if (own !== undefined) own.arrivedAt = now;
    this.#sampler.arrived(now);
  }

  entered(rank: number): void {
    for (let r = 0; r <= rank; r++) {
      const own = this.#classes[r];
      if (own !== undefined) own.peak = Math.max(own.peak, atOrAbove(this.#crowd, r));
    }
  }

  left(): void {
    // learns from turns alone
  }

  #onTurn(turnMs: number, now: number): void {
    const isLong = turnMs > this.#turnMs;
    this.#strain.turned(turnMs, now);
    if (isLong) this.#charge(turnMs, now);
    else for (const { limit, peak } of this.#classes) limit.onTurn(now, turnMs, peak);
    this.#lastTurnMs = turnMs;
    for (const [rank, own] of this.#classes.entries()) own.peak = atOrAbove(this.#crowd, rank);
    if (!isLong) this.#relaxed();
  }

  #charge(turnMs: number, now: number): void {
    const present = this.#classes.findIndex(({ arrivedAt }) => now - arrivedAt < PRESENT_MS);
    const peak = this.#classes[0]?.peak ?? 0;
    // the lowest class inside: from it upwards, counts are smaller than that of all
    const inside = this.#classes.findLastIndex((own) => own.peak === peak);
    if (peak === 0 || (inside > present && turnMs < this.#lastTurnMs)) return;
    this.#classes[inside]?.limit.onTurn(now, turnMs, peak);
  }
}
