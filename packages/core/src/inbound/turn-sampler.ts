import type { Clock } from '../time/clock.js';

/** The event loop as the gate sees it. */
export interface EventLoop {
  /** Calls back in the next turn, once the I/O of this one has been delivered. */
  onNextTurn(then: () => void): void;
  /** For how long it has waited for something to do so far. */
  idleMs(): number;
}

/**
 * Measures turns of the event loop: after an arrival, one whole turn from the end of its I/O to the end of the
 * next one's. That is the time the handlers of one turn's requests took, whatever they await. A turn longer than
 * `restMs` is followed by a measurement of the next one; after a shorter one the next arrival, no sooner than
 * `restMs` later, begins again. So every turn of a busy loop is measured, and an idle one is not kept awake.
 */
export class TurnSampler {
  readonly #clock: Clock;
  readonly #loop: EventLoop;
  readonly #restMs: number;
  readonly #report: (turnMs: number, now: number) => void;
  #pending = false;
  /** When the turn being measured began; `undefined` while it has not. */
  #beganAt: number | undefined;
  #restsUntil = 0;
  readonly #begin: () => void = () => this.#onBegin();
  readonly #end: () => void = () => this.#onEnd();

  constructor(
    rt: { readonly clock: Clock; readonly loop: EventLoop },
    restMs: number,
    report: (turnMs: number, now: number) => void,
  ) {
    this.#clock = rt.clock;
    this.#loop = rt.loop;
    this.#restMs = restMs;
    this.#report = report;
  }

  arrived(now: number): void {
    if (this.#pending || now < this.#restsUntil) return;
    this.#pending = true;
    this.#loop.onNextTurn(this.#begin);
  }

  /** How long the turn being measured has lasted so far; 0 when none is. */
  elapsedMs(now: number): number {
    return this.#beganAt === undefined ? 0 : now - this.#beganAt;
  }

  #onBegin(): void {
    this.#beganAt = this.#clock.now();
    this.#loop.onNextTurn(this.#end);
  }

  #onEnd(): void {
    const now = this.#clock.now();
    const turnMs = this.elapsedMs(now);
    if (turnMs > this.#restMs) {
      this.#beganAt = now;
      this.#loop.onNextTurn(this.#end);
    } else {
      this.#beganAt = undefined;
      this.#pending = false;
      this.#restsUntil = now + this.#restMs;
    }
    this.#report(turnMs, now);
  }
}
