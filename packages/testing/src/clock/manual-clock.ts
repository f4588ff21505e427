import { VirtualClock, type VirtualClockOptions } from '@spillway/core';

/** Time that a test moves by hand. */
export type ManualClock = VirtualClock;
export type ManualClockOptions = VirtualClockOptions;

/**
 * A clock for `createSpillway(config, { clock })` that stands still until the test moves it. `advance(ms)` and
 * `advanceTo(at)` run what comes due, in order, with promise chains in between; `runToIdle()` runs until nothing is
 * armed; `shiftWall(ms)` moves the wall clock alone; `pending` counts armed timers.
 *
 * @param options `start`: first value of `now()`, default 0. `wall`: what `wall()` shows at `now()` 0
 */
export function manualClock(options: ManualClockOptions = {}): ManualClock {
  return new VirtualClock(options);
}
