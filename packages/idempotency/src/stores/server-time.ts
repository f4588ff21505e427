import type { Clock } from '@spillway/core';

/** How long an estimate is kept although a later one was less exact; clocks drift. Ms. */
const KEEP_MS = 60_000;

/**
 * What is known of a server's clock, from the time it puts into every answer. A claim names the latest instant, on
 * the server's own clock, at which it may take effect: however long it sat in a queue, it is never written late.
 */
export class ServerTime {
  readonly #clock: Clock;
  /** Least that the server's clock can be ahead of ours. */
  #aheadMs: number | undefined;
  /** How exact that is: the round trip it was read in. */
  #widthMs = 0;
  #readAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get known(): boolean {
    return this.#aheadMs !== undefined;
  }

  now(): number {
    return this.#clock.now();
  }

  /** The server said `serverMs` in an answer to what was sent at `sentAt`. */
  heard(serverMs: number, sentAt: number): void {
    const now = this.#clock.now();
    const widthMs = now - sentAt;
    if (this.known && widthMs > this.#widthMs && now - this.#readAt < KEEP_MS) return;
    this.#aheadMs = serverMs - now;
    this.#widthMs = widthMs;
    this.#readAt = now;
  }

  /** The server's clock was set: believe the next answer, whatever it says. */
  forget(): void {
    this.#aheadMs = undefined;
  }

  /** The instant `leftMs` from now on the server's clock, never later. */
  limit(leftMs: number): number {
    return this.#clock.now() + leftMs + (this.#aheadMs ?? 0);
  }
}
