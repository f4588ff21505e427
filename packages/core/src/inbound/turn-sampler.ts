import type { Clock } from '../time/clock.js';

/** Calls back in the next turn of the event loop, once the I/O of this one has been delivered. */
export type OnNextTurn = (then: () => void) => void;

/**
 * Measures turns of the event loop: after an arrival, one whole turn from the end of its I/O to the end of the
 * next one's. That is the time the handlers of one turn's requests took, whatever they await. A turn longer than
 * `restMs` is followed by a measurement of the next one; after a shorter one the next arrival, no sooner than
 * `restMs` later, begins again. So every turn of a busy loop is measured, and an idle one is not kept awake.
 */
export class TurnSampler {
  readonly #clock: Clock;
  readonly #onNextTurn: OnNextTurn;
  readonly #restMs: number;
  readonly #report: (turnMs: number, now: number) => void;
  #pending = false;
  /** When the turn being measured began; `undefined` while it has not. */
  #beganAt: number | undefined;
  #restsUntil = 0;
  readonly #begin: () => void = () => this.#onBegin();
  readonly #end: () => void = () => this.#onEnd();

  constructor(
    rt: { readonly clock: Clock; readonly onNextTurn: OnNextTurn },
    restMs: number,
    report: (turnMs: number, now: number) => void,
  ) {
    this.#clock = rt.clock;
    this.#onNextTurn = rt.onNextTurn;
    this.#restMs = restMs;
    this.#report = report;
  }

  arrived(now: number): void {
    if (this.#pending || now < this.#restsUntil) return;
    this.#pending = true;
    this.#onNextTurn(this.#begin);
  }

  /** How long the turn being measured has lasted so far; 0 when none is. */
  elapsedMs(now: number): number {
    return this.#beganAt === undefined ? 0 : now - this.#beganAt;
  }

  #onBegin(): void {
    this.#beganAt = this.#clock.now();
    this.#onNextTurn(this.#end);
  }

  #onEnd(): void {
    const now = this.#clock.now();
    const turnMs = this.elapsedMs(now);
    if (turnMs > this.#restMs) {
      this.#beganAt = now;
      this.#onNextTurn(this.#end);
    } else {
      this.#beganAt = undefined;
      this.#pending = false;
      this.#restsUntil = now + this.#restMs;
    }
    this.#report(turnMs, now);
  }
}
