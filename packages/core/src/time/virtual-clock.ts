import type { Clock, Timer } from './clock.js';
import { nextTurn, promisesSettled } from './system-clock.js';

/** 2026-01-01T00:00:00Z. */
export const VIRTUAL_EPOCH_MS = 1_767_225_600_000;

/** Longest stretch that `runToIdle` covers unless told otherwise: a day. */
const IDLE_LIMIT_MS = 86_400_000;

export interface VirtualClockOptions {
  /** First value of `now()`. Default 0. */
  readonly start?: number;
  /** What `wall()` shows while `now()` is 0, in ms since the epoch. Default 2026-01-01T00:00:00Z. */
  readonly wall?: number;
  /**
   * What gets its chance between two timers. `turns`, the default: promise chains, due I/O and signals, in two turns of
   * the event loop. `promises`: promise chains alone, many times faster, for work that does no I/O.
   */
  readonly between?: 'turns' | 'promises';
}

/** Where an armed timer sits in the heap. */
class Place {
  readonly timer: Timer;
  index: number;

  constructor(timer: Timer, index: number) {
    this.timer = timer;
    this.index = index;
  }
}

/** A binary heap of armed timers: earliest due first, of the same instant the one armed first. */
class TimerHeap {
  readonly #places: Place[] = [];

  get size(): number {
    return this.#places.length;
  }

  get first(): Timer | undefined {
    return this.#places[0]?.timer;
  }

  add(timer: Timer): void {
    const place = new Place(timer, this.#places.length);
    timer.home = place;
    this.#places.push(place);
    this.#up(place);
  }

  remove(timer: Timer): void {
    const place = timer.home;
    if (!(place instanceof Place) || this.#places[place.index] !== place) return;
    timer.home = undefined;
    const last = this.#places.pop();
    if (last === undefined || last === place) return;
    this.#put(last, place.index);
    this.#up(last);
    this.#down(last);
  }

  #put(place: Place, index: number): void {
    place.index = index;
    this.#places[index] = place;
  }

  #up(place: Place): void {
    while (place.index > 0) {
      const hole = place.index;
      const parent = this.#places[(hole - 1) >> 1];
      if (parent === undefined || !isBefore(place.timer, parent.timer)) return;
      this.#put(place, parent.index);
      this.#put(parent, hole);
    }
  }

  #down(place: Place): void {
    for (let child = this.#earlierChild(place.index); child !== undefined; ) {
      if (!isBefore(child.timer, place.timer)) return;
      const hole = place.index;
      this.#put(place, child.index);
      this.#put(child, hole);
      child = this.#earlierChild(place.index);
    }
  }

  #earlierChild(index: number): Place | undefined {
    const left = this.#places[2 * index + 1];
    const right = this.#places[2 * index + 2];
    if (left === undefined || right === undefined) return left;
    return isBefore(right.timer, left.timer) ? right : left;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

/**
 * Time that stands still until it is told to move: the same objects that guard production run for hours of it in a
 * second, in the same order every time. Timers fire by (due, order of arming), each at exactly its own instant.
 */
export class VirtualClock implements Clock {
  #now: number;
  #wallOffset: number;
  #order = 0;
  readonly #heap = new TimerHeap();
  readonly #settle: () => Promise<void>;

  constructor(options: VirtualClockOptions = {}) {
    this.#now = options.start ?? 0;
    this.#settle = options.between === 'promises' ? twoDrains : twoTurns;
    this.#wallOffset = options.wall ?? VIRTUAL_EPOCH_MS;
  }

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#wallOffset + this.#now;
  }

  /** Moves the wall clock alone, as an operator or NTP would; `now()` does not notice (C-088). */
  shiftWall(ms: number): void {
    this.#wallOffset += ms;
  }

  /** How many timers are armed. */
  get pending(): number {
    return this.#heap.size;
  }

  arm(timer: Timer, ms: number): void {
    if (timer.home !== undefined) this.disarm(timer);
    timer.due = this.#now + (Number.isNaN(ms) ? 0 : Math.max(0, ms));
    if (timer.due === Number.POSITIVE_INFINITY) return;
    timer.order = this.#order++;
    this.#heap.add(timer);
  }

  disarm(timer: Timer): void {
    this.#heap.remove(timer);
  }

  /**
   * Moves time on by `ms` and runs every timer that comes due, those armed on the way included. Before the first and
   * after each, promise chains and I/O get their turn (`between`). Ends at exactly `now() + ms`.
   */
  advance(ms: number): Promise<void> {
    return this.advanceTo(this.#now + ms);
  }

  /** Like `advance`, up to the instant `at`. */
  async advanceTo(at: number): Promise<void> {
    await this.#settle();
    while (this.#fireNext(at)) await this.#settle();
    this.#moveTo(at);
  }

  /**
   * Runs until no timer is left and ends at the instant of the last one, or `limitMs` from now, whichever comes
   * first; `pending` tells.
   */
  async runToIdle(limitMs: number = IDLE_LIMIT_MS): Promise<void> {
    const limit = this.#now + limitMs;
    await this.#settle();
    while (this.#fireNext(limit)) await this.#settle();
    if (this.pending > 0) this.#moveTo(limit);
  }

  /** Moves time on by `ms` at once: timers fire in order, promise chains wait until the caller lets them. */
  tick(ms: number): void {
    const at = this.#now + ms;
    while (this.#fireNext(at));
    this.#moveTo(at);
  }

  #fireNext(at: number): boolean {
    const timer = this.#heap.first;
    if (timer === undefined || timer.due > at) return false;
    this.#heap.remove(timer);
    this.#moveTo(timer.due);
    timer.onTimer();
    return true;
  }

  #moveTo(at: number): void {
    if (at > this.#now) this.#now = at;
  }
}

/** Two turns: what the first one's I/O callbacks start has its chance in the second. */
async function twoTurns(): Promise<void> {
  await nextTurn();
  await nextTurn();
}

/** Twice the same within one turn: what waits for all promise chains to have gone on has its chance in the second. */
async function twoDrains(): Promise<void> {
  await promisesSettled();
  await promisesSettled();
}
