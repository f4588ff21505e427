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
  /** Answers with what the window then holds; the object is good until the next call. */
  record(now: number, failed: boolean, slow: boolean, durationMs: number): Tally;
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
  next: Bucket;
}

class TimeWindow implements OutcomeWindow {
  readonly #windowMs: number;
  readonly #bucketMs: number;
  /** The oldest bucket in use, and the one written to; in a ring of all. */
  #oldest: Bucket;
  #newest: Bucket;
  #isEmpty = true;
  /** Until then the newest bucket takes every result, and no bucket leaves. */
  #rollsAt: number = Number.NEGATIVE_INFINITY;
  readonly #total: Tally = emptyTally();
  /** Made for the first who asks. */
  #answer: Tally | undefined = undefined;

  constructor(windowMs: number, buckets: number) {
    this.#windowMs = windowMs;
    this.#bucketMs = windowMs / buckets;
    this.#oldest = ringOfOne();
    this.#newest = this.#oldest;
  }

  record(now: number, failed: boolean, slow: boolean, durationMs: number): Tally {
    if (now >= this.#rollsAt) this.#roll(now);
    add(this.#newest, failed, slow, durationMs);
    add(this.#total, failed, slow, durationMs);
    return this.#total;
  }

  tally(now: number): Tally {
    this.#answer ??= emptyTally();
    const answer = this.#answer;
    copy(this.#total, answer);
    for (let bucket = this.#oldest; answer.calls > 0 && !this.#counts(bucket, now); bucket = bucket.next) {
      subtract(answer, bucket);
    }
    return answer;
  }

  clear(): void {
    this.#isEmpty = true;
    this.#rollsAt = Number.NEGATIVE_INFINITY;
    empty(this.#total);
  }

  #roll(now: number): void {
    while (!this.#isEmpty && !this.#counts(this.#oldest, now)) this.#dropOldest();
    if (this.#isEmpty || now - this.#newest.start >= this.#bucketMs) this.#begin(now);
    this.#rollsAt = Math.min(this.#oldest.start + this.#windowMs, this.#newest.start + this.#bucketMs);
  }

  #counts(bucket: Bucket, now: number): boolean {
    return now < bucket.start + this.#windowMs;
  }

  #dropOldest(): void {
    subtract(this.#total, this.#oldest);
    if (this.#oldest === this.#newest) this.#isEmpty = true;
    else this.#oldest = this.#oldest.next;
  }

  #begin(now: number): void {
    if (this.#isEmpty) this.#oldest = this.#newest;
    else {
      // the ring grows with its use: most windows of a scoped set see one call and no more
      if (this.#newest.next === this.#oldest) this.#makeRoom();
      this.#newest = this.#newest.next;
    }
    this.#isEmpty = false;
    empty(this.#newest);
    this.#newest.start = now;
  }

  /** Buckets begin at least `bucketMs` apart, and leave: more than fit are never in use. */
  #makeRoom(): void {
    const bucket = ringOfOne();
    bucket.next = this.#newest.next;
    this.#newest.next = bucket;
  }
}

function ringOfOne(): Bucket {
  const bucket = { ...emptyTally(), start: 0 } as Bucket;
  bucket.next = bucket;
  return bucket;
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

  record(_now: number, failed: boolean, slow: boolean, durationMs: number): Tally {
    if (this.#total.calls === this.#flags.length) this.#drop(this.#next);
    this.#flags[this.#next] = (failed ? FAILED : 0) | (slow ? SLOW : 0);
    this.#durations[this.#next] = durationMs;
    this.#next = (this.#next + 1) % this.#flags.length;
    add(this.#total, failed, slow, durationMs);
    return this.#total;
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
