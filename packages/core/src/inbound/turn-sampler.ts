import type { Clock } from '../time/clock.js';

/** A turn is this process's own doing unless it has run for less than this share of it. */
const OWN_SHARE = 0.1;

/** The event loop as the gate sees it. */
export interface EventLoop {
  /** Calls back in the next turn, once the I/O of this one has been delivered. */
  onNextTurn(then: () => void): void;
  /** For how long it has waited for something to do so far. */
  idleMs(): number;
  /** Processor time that this process has had so far. Left out: it has a processor for as long as a turn lasts. */
  cpuMs?(): number;
}

/** A request as far as turns go. */
export interface Arrival {
  /** The first on its connection. Asked for only while a turn is being measured. */
  readonly isFirst: boolean;
}

/** One turn of the event loop. */
export interface Turn {
  readonly ms: number;
  /** The same; or, where others had the processor for nearly all of it, the part in which this process ran. */
  readonly ownMs: number;
  /** Requests that came. */
  readonly arrivals: number;
  /** One of them came on a connection that had brought none before. */
  readonly isFed: boolean;
}

/**
 * Measures turns of the event loop: after an arrival, one whole turn from the end of its I/O to the end of the
 * next one's. That is the time the handlers of one turn's requests took, whatever they await. A turn longer than
 * `briefMs` is followed by a measurement of the next one; after a shorter one the next arrival, no sooner than
 * `restMs` later, begins again. So every turn of a busy loop is measured, and an idle one is not kept awake: a turn
 * of its own costs as much as a good part of a request.
 */
export class TurnSampler {
  readonly #clock: Clock;
  readonly #loop: EventLoop;
  readonly #pace: { readonly briefMs: number; readonly restMs: number };
  readonly #report: (turn: Turn, now: number) => void;
  #isKeen = false;
  #pending = false;
  /** When the turn being measured began; `undefined` while it has not. */
  #beganAt: number | undefined;
  #cpuBefore = 0;
  #arrivals = 0;
  #isFed = false;
  #restsUntil = 0;
  readonly #begin: () => void = () => this.#onBegin();
  readonly #end: () => void = () => this.#onEnd();

  constructor(
    rt: { readonly clock: Clock; readonly loop: EventLoop },
    pace: { readonly briefMs: number; readonly restMs: number },
    report: (turn: Turn, now: number) => void,
  ) {
    this.#clock = rt.clock;
    this.#loop = rt.loop;
    this.#pace = pace;
    this.#report = report;
  }

  arrived(request: Arrival, now: number): void {
    if (this.#beganAt !== undefined) {
      this.#arrivals++;
      this.#isFed ||= request.isFirst;
    }
    if (this.#pending || now < this.#restsUntil) return;
    this.#pending = true;
    this.#loop.onNextTurn(this.#begin);
  }

  /** Should every turn be measured for now, also after brief ones, and from the next one on? */
  measureAll(isKeen: boolean): void {
    this.#isKeen = isKeen;
    if (!isKeen || this.#pending) return;
    this.#pending = true;
    this.#loop.onNextTurn(this.#begin);
  }

  /** How long the turn being measured has lasted so far; 0 when none is. */
  elapsedMs(now: number): number {
    return this.#beganAt === undefined ? 0 : now - this.#beganAt;
  }

  /** The turn being measured, as if it ended now and nobody else had had the processor: to look before measuring. */
  presentAtMost(now: number): Turn {
    const ms = this.elapsedMs(now);
    return { ms, ownMs: ms, arrivals: this.#arrivals, isFed: this.#isFed };
  }

  /** The turn being measured, as if it ended now. */
  present(now: number): Turn {
    const turn = this.presentAtMost(now);
    const { cpuMs } = this.#loop;
    if (cpuMs === undefined) return turn;
    const ranMs = cpuMs() - this.#cpuBefore;
    // a process that shares the processor with one other can do half, and is overloaded by half
    return ranMs >= OWN_SHARE * turn.ms ? turn : { ...turn, ownMs: ranMs };
  }

  #onBegin(): void {
    this.#measure(this.#clock.now());
  }

  #onEnd(): void {
    const now = this.#clock.now();
    const turn = this.present(now);
    if (turn.ms > this.#pace.briefMs || this.#isKeen) this.#measure(now);
    else {
      this.#beganAt = undefined;
      this.#pending = false;
      this.#restsUntil = now + this.#pace.restMs;
    }
    this.#report(turn, now);
  }

  #measure(now: number): void {
    this.#beganAt = now;
    this.#cpuBefore = this.#loop.cpuMs?.() ?? 0;
    this.#arrivals = 0;
    this.#isFed = false;
    this.#loop.onNextTurn(this.#end);
  }
}
