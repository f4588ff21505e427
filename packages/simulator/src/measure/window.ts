import type { Clock } from '@spillway/core';

/** Says what counts for totals: what happens from `from` until before `to`. */
export class Window {
  readonly #clock: Clock;
  readonly from: number;
  readonly to: number;

  constructor(clock: Clock, from: number, to: number) {
    this.#clock = clock;
    this.from = from;
    this.to = to;
  }

  get open(): boolean {
    return this.includes(this.#clock.now());
  }

  includes(at: number): boolean {
    return at >= this.from && at < this.to;
  }
}
