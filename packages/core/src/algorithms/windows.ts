import type { ResolvedWindow } from '../config/resolved.js';

/** What a window holds. */
export interface Tally {
  calls: number;
  failures: number;
  slow: number;
  /** `calls - failures`. */
  successes: number;
  /** Durations of the successes, summed. */
  successMs: number;
}

/** Counts results over a stretch of time or the last so many calls; cost and memory do not depend on the traffic. */
export interface OutcomeWindow {
  record(now: number, failed: boolean, slow: boolean, durationMs: number): void;
  /** What it holds at `now`. The object is the window's own and good until the next call. Changes nothing. */
  tally(now: number): Tally;
  clear(): void;
}

/** A window of `options`: the last `ms` milliseconds, or the last `calls` results. */
export function outcomeWindow(options: ResolvedWindow): OutcomeWindow {
  return 'ms' in options ? timeWindow(options.ms) : countWindow(options.calls);
}

/**
 * The results of the last `windowMs`. They are summed per bucket of `windowMs / buckets`; a bucket counts while its
 * first instant is younger than the window, so nothing older than `windowMs` is ever held and after a gap of the
 * whole window everything is forgotten (C-016), while anything younger than `windowMs` less one bucket is there.
 */
export function timeWindow(windowMs: number, buckets = 10): OutcomeWindow {
  return new TimeWindow(windowMs, buckets);
}

/** The last `size` results. */
export function countWindow(size: number): OutcomeWindow {
  return new CountWindow(size);
}

function emptyTally(): Tally {
  return { calls: 0, failures: 0, slow: 0, successes: 0, successMs: 0 };
}

function empty(tally: Tally): void {
  tally.calls = 0;
  tally.failures = 0;
  tally.slow = 0;
  tally.successes = 0;
  tally.successMs = 0;
}

function copy(from: Tally, to: Tally): void {
  to.calls = from.calls;
  to.failures = from.failures;
  to.slow = from.slow;
  to.successes = from.successes;
  to.successMs = from.successMs;
}

function add(tally: Tally, failed: boolean, slow: boolean, durationMs: number): void {
  tally.calls++;
  if (slow) tally.slow++;
  if (failed) {
    tally.failures++;
    return;
  }
  tally.successes++;
  tally.successMs += durationMs;
}

// Sums of fractions taken apart again leave crumbs: no success has no duration.
function subtract(tally: Tally, part: Tally): void {
  tally.calls -= part.calls;
  tally.failures -= part.failures;
  tally.slow -= part.slow;
  tally.successes -= part.successes;
  tally.successMs = tally.successes === 0 ? 0 : tally.successMs - part.successMs;
}

interface Bucket extends Tally {
  /** Instant of its first result. */
  start: number;
}

class TimeWindow implements OutcomeWindow {
  readonly #windowMs: number;
  readonly #bucketMs: number;
  readonly #ring: Bucket[];
  /** Position of the oldest bucket in use. */
  #oldest = 0;
  /** Buckets in use; the last of them is the one written to. */
  #used = 0;
  readonly #total: Tally = emptyTally();
  readonly #answer: Tally = emptyTally();

  constructor(windowMs: number, buckets: number) {
    this.#windowMs = windowMs;
    this.#bucketMs = windowMs / buckets;
    // one more than fit, for starts that rounding has put a hair closer together
    this.#ring = Array.from({ length: buckets + 1 }, () => ({ ...emptyTally(), start: 0 }));
  }

  record(now: number, failed: boolean, slow: boolean, durationMs: number): void {
    this.#evict(now);
    const bucket = this.#current(now);
    add(bucket, failed, slow, durationMs);
    add(this.#total, failed, slow, durationMs);
  }

  tally(now: number): Tally {
    copy(this.#total, this.#answer);
    for (let i = 0; i < this.#used; i++) {
      const bucket = this.#at(i);
      if (this.#counts(bucket, now)) break;
      subtract(this.#answer, bucket);
    }
    return this.#answer;
  }

  clear(): void {
    this.#used = 0;
    empty(this.#total);
  }

  #counts(bucket: Bucket, now: number): boolean {
    return bucket.start > now - this.#windowMs;
  }

  #at(index: number): Bucket {
    return this.#ring[(this.#oldest + index) % this.#ring.length] as Bucket;
  }

  #evict(now: number): void {
    while (this.#used > 0 && !this.#counts(this.#at(0), now)) this.#dropOldest();
  }

  #dropOldest(): void {
    subtract(this.#total, this.#at(0));
    this.#oldest = (this.#oldest + 1) % this.#ring.length;
    this.#used--;
  }

  #current(now: number): Bucket {
    if (this.#used > 0) {
      const last = this.#at(this.#used - 1);
      if (now - last.start < this.#bucketMs) return last;
    }
    if (this.#used === this.#ring.length) this.#dropOldest();
    const bucket = this.#at(this.#used++);
    empty(bucket);
    bucket.start = now;
    return bucket;
  }
}

const FAILED = 1;
const SLOW = 2;

class CountWindow implements OutcomeWindow {
  readonly #flags: Uint8Array;
  readonly #durations: Float64Array;
  #next = 0;
  readonly #total: Tally = emptyTally();

  constructor(size: number) {
    this.#flags = new Uint8Array(size);
    this.#durations = new Float64Array(size);
  }

  record(_now: number, failed: boolean, slow: boolean, durationMs: number): void {
    if (this.#total.calls === this.#flags.length) this.#drop(this.#next);
    this.#flags[this.#next] = (failed ? FAILED : 0) | (slow ? SLOW : 0);
    this.#durations[this.#next] = durationMs;
    this.#next = (this.#next + 1) % this.#flags.length;
    add(this.#total, failed, slow, durationMs);
  }

  tally(): Tally {
    return this.#total;
  }

  clear(): void {
    this.#next = 0;
    empty(this.#total);
  }

  #drop(index: number): void {
    const flags = this.#flags[index] ?? 0;
    const total = this.#total;
    total.calls--;
    if ((flags & SLOW) !== 0) total.slow--;
    if ((flags & FAILED) !== 0) {
      total.failures--;
      return;
    }
    total.successes--;
    total.successMs = total.successes === 0 ? 0 : total.successMs - (this.#durations[index] ?? 0);
  }
}
