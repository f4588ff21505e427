import { LoopLimit, type LoopLimitOptions } from '../algorithms/limits/loop.js';
import type { PermitEnd } from '../algorithms/permit.js';
import { atOrAbove, type Ceiling, type CeilingRuntime, type Crowd } from './ceiling.js';
import { Flush } from './flush.js';
import { LoopStrain } from './loop-strain.js';
import { CRITICALITIES } from './request-facts.js';
import { type Arrival, type EventLoop, type Turn, TurnSampler } from './turn-sampler.js';

/** A class counts as present for this long after its last arrival. */
const PRESENT_MS = 1000;
/** Turns shorter than this part of `turn` are not worth measuring one after the other. */
const BRIEF = 0.25;
/** Weight of the newest in the mean time that requests are inside. */
const NEWEST = 0.1;
/** The limit shrinks when more than this share of the time went by in long turns. */
const LONG_SHARE = 0.5;
/** How fast a limit comes down: by a tenth for each of these steps between the longest turn and `turn`. */
const AT_ONCE = 0.9;
const GENTLY = 0.5;
/** A class above the lowest present is charged once long turns have gone on for so many times `turn` without that one. */
const PATIENCE = 8;
/** What counts as long then: bursts of what can well be served fill turns of a few times `turn`. */
const DEEP = 5;

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
 * Overload, once recognised, sets the limit to what fits into a turn. From then on the limit shrinks once per time
 * that requests stay inside, not once per turn: what it did to those let in shows no sooner. Long turns are charged
 * to the lowest class inside. A class above the lowest one present keeps its limit, unless turns stay long while
 * nothing below it is inside; it waits for a moment while piled-up connections are fetched.
 */
export class LoopCeiling implements Ceiling {
  readonly #options: LoopLimitOptions;
  readonly #turnMs: number;
  readonly #max: number;
  readonly #loop: EventLoop;
  readonly #sampler: TurnSampler;
  readonly #strain: LoopStrain;
  readonly #classes: readonly ClassLimit[];
  readonly #flush: Flush = new Flush();
  readonly #crowd: Crowd;
  readonly #waiting: () => number;
  readonly #relaxed: () => void;
  #stayMs = 0;
  #enteredInTurn = 0;
  #held = false;
  /** The class that was charged last. */
  #charged = 0;
  #judgedAt = 0;
  #longMs = 0;
  #longestMs = 0;
  #shortMs = 0;
  /** For so long turns have been long while nothing of the lowest class present was inside. */
  #aloneMs = 0;

  constructor(options: LoopLimitOptions, rt: CeilingRuntime) {
    this.#options = options;
    this.#turnMs = options.turnMs;
    this.#max = options.max;
    this.#crowd = rt.crowd;
    this.#waiting = rt.waiting;
    this.#loop = rt.loop;
    this.#relaxed = rt.relaxed;
    this.#classes = CRITICALITIES.map(() => new ClassLimit(options));
    const pace = { briefMs: BRIEF * options.turnMs, restMs: options.turnMs };
    this.#strain = new LoopStrain(options.turnMs, pace.briefMs);
    this.#sampler = new TurnSampler(rt, pace, (turn, now) => this.#onTurn(turn, now));
  }

  get limit(): number {
    let lowest = this.#max;
    for (const { limit } of this.#classes) lowest = Math.min(lowest, limit.limit);
    return lowest;
  }

  admits(rank: number, now: number): boolean {
    const limit = this.#classes[rank]?.limit.limit ?? this.#max;
    const inside = atOrAbove(this.#crowd, rank);
    if (this.#flush.keepsOut(rank, now)) return false;
    return (
      inside < limit ||
      inside < limit * this.#strain.slack(this.#loop.idleMs(), now, this.#sampler.elapsedMs(now))
    );
  }

  /** Those who had to wait for a flush come in a few a turn: all at once would make the next one long. */
  postpones(rank: number, now: number, waiting: number): boolean {
    if (this.#flush.postpones(rank, now)) return true;
    if (waiting === 0 || !this.#held || rank <= this.#charged) return false;
    return this.#enteredInTurn >= (this.#classes[this.#charged]?.limit.limit ?? this.#max);
  }

  arrived(request: Arrival & { readonly rank: number }, now: number): void {
    const own = this.#classes[request.rank];
    if (own !== undefined) own.arrivedAt = now;
    this.#strain.came();
    this.#sampler.arrived(request, now);
    const elapsedMs = this.#sampler.elapsedMs(now);
    if (elapsedMs > this.#turnMs && !this.#strain.holds(now - elapsedMs)) this.#foresee(now);
  }

  entered(rank: number): void {
    this.#strain.entered();
    this.#enteredInTurn++;
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

  /** Those who came in with a long turn's end may be too many for the next one: it is too late once they are in. */
  #foresee(now: number): void {
    if (!this.#strain.foresees(this.#sampler.presentAtMost(now))) return;
    const turn = this.#sampler.present(now);
    if (!this.#strain.foresees(turn)) return;
    this.#strain.begin(turn.ms, now);
    this.#longestMs = turn.ownMs;
    this.#begin(now);
  }

  #onTurn(turn: Turn, now: number): void {
    this.#strain.turned(turn, this.#loop.idleMs(), now);
    const { ownMs } = turn;
    const isLong = ownMs > this.#turnMs;
    if (isLong) {
      this.#longMs += ownMs;
      this.#longestMs = Math.max(this.#longestMs, ownMs);
    } else {
      this.#shortMs += turn.ms;
      for (const { limit, peak } of this.#classes) limit.onTurn(now, ownMs, peak);
    }
    if (!this.#strain.holds(now)) this.#rest(now);
    else if (!this.#held) this.#begin(now);
    else if (now - this.#judgedAt >= this.#stayMs) this.#judge(now);
    if (this.#flush.turned(turn, now) && this.#held) this.#flush.begin(this.#charged, now);
    // those put off are served in short turns: unmeasured, these would pass for the end of overload
    this.#sampler.measureAll(this.#flush.isOn || (this.#held && this.#waiting() > 0));
    this.#enteredInTurn = 0;
    if (!isLong || this.#waiting() > 0) this.#relaxed();
  }

  /** No overload: nothing is learnt, and what was learnt from the last one is over. */
  #rest(now: number): void {
    if (this.#held) for (const own of this.#classes) own.limit = new LoopLimit(this.#options);
    this.#held = false;
    this.#flush.end();
    if (now - this.#judgedAt >= this.#stayMs) this.#lookAgain(now);
  }

  #begin(now: number): void {
    this.#held = true;
    this.#charge(now, true);
    this.#flush.begin(this.#charged, now);
    this.#sampler.measureAll(true);
    this.#lookAgain(now);
  }

  #judge(now: number): void {
    const isLong = this.#longMs > LONG_SHARE * (this.#longMs + this.#shortMs);
    if (isLong) this.#charge(now, false);
    else this.#aloneMs = 0;
    this.#lookAgain(now);
  }

  #lookAgain(now: number): void {
    this.#judgedAt = now;
    this.#longMs = 0;
    this.#longestMs = 0;
    this.#shortMs = 0;
    for (const [rank, own] of this.#classes.entries()) own.peak = atOrAbove(this.#crowd, rank);
  }

  /** Is what is above the lowest class present too much without it? Bursts of what can be served make turns long too. */
  #isTooMuchAlone(): boolean {
    this.#aloneMs = this.#longestMs > DEEP * this.#turnMs ? this.#aloneMs + this.#longMs : 0;
    return this.#aloneMs >= PATIENCE * this.#turnMs;
  }

  /** @param isFirst overload has just been recognised: the limit falls from the maximum */
  #charge(now: number, isFirst: boolean): void {
    const present = this.#classes.findIndex(({ arrivedAt }) => now - arrivedAt < PRESENT_MS);
    const peak = this.#classes[0]?.peak ?? 0;
    // the lowest class inside: from it upwards, counts are smaller than that of all
    const inside = this.#classes.findLastIndex((own) => own.peak === peak);
    if (peak === 0) return;
    if (inside <= present) this.#aloneMs = 0;
    else if (!this.#isTooMuchAlone()) return;
    this.#charged = inside;
    const limit = this.#classes[inside]?.limit;
    const step = isFirst ? AT_ONCE : GENTLY;
    for (let long = this.#longestMs; long > this.#turnMs; long *= step) limit?.onTurn(now, long, peak);
  }
}
