import { afterPromises, type Clock, nextTurn, type Timer } from '@spillway/core';
import { TimerHeap } from './timer-heap.js';

/** 2026-01-01T00:00:00Z. */
const EPOCH_MS = 1_767_225_600_000;
/** Events between two turns of the event loop, in which signals and output get their chance. */
const EVENTS_PER_TURN = 4096;
/** Added to the order of arrivals. Orders stay within 32 bits, which engines keep without allocating. */
const AHEAD = -(2 ** 31);

/**
 * Virtual time for worlds: instants in order; of one instant arrivals first, then timers in the order of arming.
 * After each event every promise chain that can go on has gone on, before the next one fires; this costs no turn of
 * the event loop, so a simulated second takes as long as its events.
 */
export class SimulationClock implements Clock {
  #now = 0;
  #order = 0;
  #events = 0;
  #sinceTurn = 0;
  readonly #heap: TimerHeap = new TimerHeap();

  now(): number {
    return this.#now;
  }

  wall(): number {
    return EPOCH_MS + this.#now;
  }

  /** Timers armed at present. */
  get pending(): number {
    return this.#heap.size;
  }

  /** Events fired so far. */
  get events(): number {
    return this.#events;
  }

  arm(timer: Timer, ms: number): void {
    this.#arm(timer, this.#now + (Number.isNaN(ms) ? 0 : Math.max(0, ms)), 0);
  }

  /** Arms `timer` for the instant `at`, ahead of all timers of that instant: somebody comes in from outside. */
  armArrival(timer: Timer, at: number): void {
    this.#arm(timer, Math.max(at, this.#now), AHEAD);
  }

  disarm(timer: Timer): void {
    this.#heap.remove(timer);
  }

  /**
   * Fires everything that is due up to and including `until`, and ends there.
   * @param goOn asked once every few thousand events; false ends the run where it is
   * @throws what a timer throws
   */
  run(until: number, goOn: () => boolean = () => true): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          if (!this.#fireNext(until)) {
            this.#now = Math.max(this.#now, until);
            resolve();
          } else if (++this.#sinceTurn < EVENTS_PER_TURN) next();
          else {
            this.#sinceTurn = 0;
            nextTurn().then(() => (goOn() ? step() : resolve()), reject);
          }
        } catch (error) {
          reject(error);
        }
      };
      const next = afterPromises(step);
      next();
    });
  }

  #arm(timer: Timer, due: number, rank: number): void {
    if (timer.home !== undefined) this.#heap.remove(timer);
    timer.due = due;
    if (due === Number.POSITIVE_INFINITY) return;
    timer.order = rank + this.#order++;
    this.#heap.add(timer);
  }

  #fireNext(until: number): boolean {
    const timer = this.#heap.first;
    if (timer === undefined || timer.due > until) return false;
    this.#heap.remove(timer);
    if (timer.due > this.#now) this.#now = timer.due;
    this.#events++;
    timer.onTimer();
    return true;
  }
}
