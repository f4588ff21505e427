/**
 * The one source of time. Everything in Spillway that waits or measures takes a Clock, so the objects that guard
 * production run unchanged under a manual clock in a test and under virtual time in the simulator.
 */
export interface Clock {
  /** Monotonic milliseconds since an arbitrary start; fractions allowed. Never moves backwards. */
  now(): number;
  /** Wall-clock milliseconds since the epoch. Read for HTTP dates and log lines, never to measure (C-088). */
  wall(): number;
  /**
   * Arms `timer` to fire once, no earlier than `ms` from now. A negative or NaN delay counts as 0, Infinity never
   * fires, delays above 2^31-1 ms are honoured (C-032). Arming an armed timer moves it.
   * @param now what `now()` has just said, to save a reading
   */
  arm(timer: Timer, ms: number, now?: number): void;
  /** Takes `timer` out; a no-op when it is not armed. */
  disarm(timer: Timer): void;
}

/**
 * A timer that lives inside whoever waits: clocks link it into their own lists, so arming one allocates nothing.
 * Subclass it, or use `after()` for a plain callback.
 */
export abstract class Timer {
  /** The instant at which it fires, on its clock's `now()`. */
  declare due: number;
  /** Where its clock has it: `undefined` while not armed. */
  declare home: unknown;
  declare prev: Timer | undefined;
  declare next: Timer | undefined;
  /** Virtual clocks order timers of the same instant by this number. */
  declare order: number;
  /** True when it settles something a caller awaits: then it keeps the process alive. Set before arming. */
  declare readonly keepAlive: boolean;

  constructor(keepAlive = true) {
    // assigned, not defined: engines define fields of a base class with many subclasses several times slower
    this.due = 0;
    this.home = undefined;
    this.prev = undefined;
    this.next = undefined;
    this.order = 0;
    this.keepAlive = keepAlive;
  }

  get armed(): boolean {
    return this.home !== undefined;
  }

  abstract onTimer(): void;
}

class CallbackTimer extends Timer {
  readonly #fire: () => void;

  constructor(fire: () => void, keepAlive: boolean) {
    super(keepAlive);
    this.#fire = fire;
  }

  onTimer(): void {
    this.#fire();
  }
}

/** Calls `fire` once after `ms`; returns the timer, for `clock.disarm`. */
export function after(clock: Clock, ms: number, fire: () => void, keepAlive = true): Timer {
  const timer = new CallbackTimer(fire, keepAlive);
  clock.arm(timer, ms);
  return timer;
}
