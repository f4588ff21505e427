import { VirtualClock } from '@spillway/core';

/** Time that a test moves by hand. */
export type ManualClock = VirtualClock;

export interface ManualClockOptions {
  /** First value of `now()`, ms. Default 0. */
  readonly start?: number;
  /** What `wall()` shows while `now()` is 0, in ms since the epoch. Default 2026-01-01T00:00:00Z. */
  readonly wall?: number;
}

/**
 * A clock for `createSpillway(config, { clock })` that stands still until the test moves it. `advance(ms)` and
 * `advanceTo(at)` run what comes due, in order, with promise chains in between; `runToIdle()` runs until nothing is
 * armed; `shiftWall(ms)` moves the wall clock alone; `pending` counts armed timers.
 */
export function manualClock(options: ManualClockOptions = {}): ManualClock {
  return new VirtualClock(options);
}
