import { OverloadSigns } from './overload-signs.js';
import type { Turn } from './turn-sampler.js';

/** How far back it looks, about: what happened this long ago counts a third. */
const MEMORY_MS = 100;
/**
 * After the last sign of overload the limit stays in force as long again as the overload has lasted, within these:
 * what is let in meanwhile shows only later.
 */
const SHORTEST_HOLD_MS = 30;
const LONGEST_HOLD_MS = 300;
/** Share of time with something to do below which a loop is idle, whatever it has been through. */
const IDLE = 0.1;
/** Less than this is no pause: a loop is never idle for nothing at all. */
const PAUSE_MS = 0.5;
/** How far back demand is looked at. */
const DEMAND_MEMORY_MS = 300;
/** Overload is over when all who come would keep the loop busy for less than this share of the time. */
const ENOUGH_DEMAND = 0.9;

/**
 * Is the event loop overloaded? A single stall, other processes that take the processor, and chance, which lets many
 * requests come at once, make long turns too, and refuse nobody. Once overload has been recognised it counts as such
 * while turns are long and those who come are more than can be served.
 */
export class LoopStrain {
  readonly #signs: OverloadSigns;
  /** Share of time with something to do, fading. */
  #busy = 0;
  #at = 0;
  #idleMs = 0;
  #since = 0;
  #holdsUntil = Number.NEGATIVE_INFINITY;
  readonly #demand = new Demand();

  constructor(turnMs: number, briefMs: number) {
    this.#signs = new OverloadSigns(turnMs, briefMs);
  }

  /** Is the limit in force? */
  holds(now: number): boolean {
    return now < this.#holdsUntil;
  }

  came(): void {
    this.#demand.came++;
  }

  entered(): void {
    this.#demand.admitted++;
  }

  /** Would it be overload if `turn`, which is under way, ended like this? */
  foresees(turn: Turn): boolean {
    return this.#signs.areSeenWith(turn);
  }

  /** It is overload from now on. */
  begin(turnMs: number, now: number): void {
    this.#since = now;
    this.#busy = 1;
    this.#demand.reset();
    this.#hold(turnMs, now);
  }

  /**
   * A turn was measured; it ended now.
   * @param idleMs how long the loop has been idle so far, ever
   */
  turned(turn: Turn, idleMs: number, now: number): void {
    if (idleMs - this.#idleMs > PAUSE_MS) this.#signs.paused();
    const isOverload = this.#signs.turned(turn);
    this.#busy = this.#busyAt(idleMs, now);
    this.#demand.passed(now - this.#at, idleMs - this.#idleMs);
    this.#at = now;
    this.#idleMs = idleMs;
    // by what was so when the turn began: within it nobody could see that it goes on
    if (!this.holds(now - turn.ms)) {
      if (isOverload) this.begin(turn.ms, now);
    } else if (this.#demand.share >= ENOUGH_DEMAND) this.#hold(turn.ms, now);
  }

  /**
   * How many of those whom the limit lets in there may be at present: 1 while the loop has no pause, the more the
   * longer its pauses, without end when it is idle.
   * @param elapsedMs for how long the present turn has lasted
   */
  slack(idleMs: number, now: number, elapsedMs: number): number {
    if (!this.holds(now - elapsedMs)) return Number.POSITIVE_INFINITY;
    const busy = this.#busyAt(idleMs, now);
    return busy < IDLE ? Number.POSITIVE_INFINITY : 1 / busy;
  }

  /** @param turnMs of the last turn: the next one will hardly be twice as long */
  #hold(turnMs: number, now: number): void {
    const lastedMs = Math.min(LONGEST_HOLD_MS, Math.max(SHORTEST_HOLD_MS, now - this.#since));
    this.#holdsUntil = now + Math.max(lastedMs, 2 * turnMs);
  }

  #busyAt(idleMs: number, now: number): number {
    const elapsedMs = now - this.#at;
    if (elapsedMs <= 0) return this.#busy;
    const kept = Math.exp(-elapsedMs / MEMORY_MS);
    const busy = 1 - Math.min(1, (idleMs - this.#idleMs) / elapsedMs);
    return this.#busy * kept + busy * (1 - kept);
  }
}

/** What share of its time the loop would have to work to serve all who come; above 1 it cannot. */
class Demand {
  admitted = 0;
  came = 0;
  #busyMs = 0;
  #ms = 0;

  reset(): void {
    this.admitted = 0;
    this.came = 0;
    this.#busyMs = 0;
    this.#ms = 0;
  }

  passed(ms: number, idleMs: number): void {
    const kept = Math.exp(-ms / DEMAND_MEMORY_MS);
    this.admitted *= kept;
    this.came *= kept;
    this.#ms = this.#ms * kept + ms;
    this.#busyMs = this.#busyMs * kept + Math.max(0, ms - idleMs);
  }

  get share(): number {
    return ((this.#busyMs / this.#ms) * this.came) / Math.max(1, this.admitted);
  }
}
