import type { Clock, Timer } from './clock.js';
import type { Random } from './random.js';

/** The longest delay that a real timer can be given; a longer one would fire at once (C-032). */
const LONGEST_REAL_DELAY = 2_147_483_647;

let timers = setTimeout;
let perf = performance;

/**
 * The global `performance` is a getter in Node, which costs a good part of the reading. Fake timers replace it together
 * with `setTimeout`, so that is when to get it anew.
 */
function monotonicMs(): number {
  if (setTimeout !== timers) lookAgain();
  return perf.now();
}

function lookAgain(): void {
  timers = setTimeout;
  perf = performance;
}

/** All timers of one length in the order of arming, and the one real timer that is armed for their head. */
class TimerList {
  readonly lengthMs: number;
  head: Timer | undefined = undefined;
  tail: Timer | undefined = undefined;
  /** How many of them keep the process alive. */
  keeping = 0;
  real: NodeJS.Timeout | undefined = undefined;
  referenced = true;
  /** Does its clock still hand it out? */
  listed = true;
  /** Waits for the next look at whether it still has to keep the process alive. */
  suspected = false;
  /** True while its due timers run: it arms itself again when they have. */
  firing = false;

  constructor(lengthMs: number) {
    this.lengthMs = lengthMs;
  }

  push(timer: Timer): void {
    timer.home = this;
    timer.prev = this.tail;
    timer.next = undefined;
    if (this.tail === undefined) this.head = timer;
    else this.tail.next = timer;
    this.tail = timer;
    if (timer.keepAlive) this.keeping++;
  }

  unlink(timer: Timer): void {
    if (timer.prev === undefined) this.head = timer.next;
    else timer.prev.next = timer.next;
    if (timer.next === undefined) this.tail = timer.prev;
    else timer.next.prev = timer.prev;
    timer.prev = undefined;
    timer.next = undefined;
    timer.home = undefined;
    if (timer.keepAlive) this.keeping--;
  }
}

/**
 * Real time. Timers of one length share one list and one real timer, so a call that arms a timeout and ends in time
 * costs two list operations. The key of a list is the length rounded up to a whole ms; each timer's own `due` is
 * honoured exactly: never early, and less than 1 ms after its neighbours.
 */
class SystemClock implements Clock {
  readonly #lists = new Map<number, TimerList>();
  #latest = new TimerList(-1);
  /** Lists whose last keep-alive timer has gone since the last look; looked at once per turn. */
  #suspects: TimerList[] = [];
  readonly #look: () => void = () => this.#unreferenceIdle();

  now(): number {
    return monotonicMs();
  }

  wall(): number {
    return Date.now();
  }

  arm(timer: Timer, ms: number, now: number = monotonicMs()): void {
    if (timer.home !== undefined) this.disarm(timer);
    const delayMs = delayOf(ms);
    timer.due = now + delayMs;
    if (delayMs === Number.POSITIVE_INFINITY) return;
    const list = this.#listOf(Math.ceil(delayMs));
    list.push(timer);
    if (list.firing) return;
    if (list.real === undefined) this.#armReal(list, delayMs);
    else if (timer.keepAlive && !list.referenced) reference(list);
  }

  disarm(timer: Timer): void {
    const list = timer.home;
    if (!(list instanceof TimerList)) return;
    list.unlink(timer);
    if (list.keeping === 0 && list.referenced && timer.keepAlive) this.#lookSoon(list);
  }

  #listOf(lengthMs: number): TimerList {
    // most timers of a process are attempt timeouts of one length
    if (this.#latest.lengthMs === lengthMs && this.#latest.listed) return this.#latest;
    let list = this.#lists.get(lengthMs);
    if (list === undefined) {
      list = new TimerList(lengthMs);
      this.#lists.set(lengthMs, list);
    }
    this.#latest = list;
    return list;
  }

  #armReal(list: TimerList, leftMs: number): void {
    list.real = setTimeout(() => this.#fire(list), Math.min(Math.ceil(leftMs), LONGEST_REAL_DELAY));
    list.referenced = list.keeping > 0;
    if (!list.referenced) list.real.unref();
  }

  #fire(list: TimerList): void {
    const now = monotonicMs();
    list.real = undefined;
    list.firing = true;
    for (let timer = list.head; timer !== undefined && timer.due <= now; timer = list.head) {
      list.unlink(timer);
      run(timer);
    }
    list.firing = false;
    if (list.head === undefined) this.#drop(list);
    else this.#armReal(list, Math.max(0, list.head.due - monotonicMs()));
  }

  #drop(list: TimerList): void {
    this.#lists.delete(list.lengthMs);
    list.listed = false;
  }

  // Calls come and go far more often than the loop turns: whether a list still has to keep the process alive is
  // looked at once a turn, so a loop of guarded calls does not toggle the real timer on every call.
  #lookSoon(list: TimerList): void {
    if (list.suspected) return;
    list.suspected = true;
    this.#suspects.push(list);
    if (this.#suspects.length === 1) setImmediate(this.#look);
  }

  #unreferenceIdle(): void {
    const suspects = this.#suspects;
    this.#suspects = [];
    for (const list of suspects) {
      list.suspected = false;
      if (list.keeping > 0 || list.real === undefined) continue;
      list.real.unref();
      list.referenced = false;
    }
  }
}

/** NaN counts as 0 too, which Math.max would pass on. */
function delayOf(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

function reference(list: TimerList): void {
  list.real?.ref();
  list.referenced = true;
}

/** One timer that throws neither stops its neighbours nor goes unnoticed: it surfaces as an uncaught exception. */
function run(timer: Timer): void {
  try {
    timer.onTimer();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

let shared: SystemClock | undefined;

/** The clock of this process; always the same one. */
export function systemClock(): Clock {
  shared ??= new SystemClock();
  return shared;
}

/** Resolves in the next turn of the event loop: every promise chain that can go on has, and due I/O was delivered. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Makes a function that calls `run` once every promise chain that can go on has, within this turn of the event loop:
 * no I/O and no signal gets its chance before. Virtual time that steps this way is a dozen times faster than by
 * whole turns; use `nextTurn` now and then.
 */
export function afterPromises(run: () => void): () => void {
  // a tick asked for by a microtask runs when no microtask is left; a settled promise is the cheapest microtask
  const tick = (): void => process.nextTick(run);
  const settled = Promise.resolve();
  return () => {
    settled.then(tick);
  };
}

/** Resolves once every promise chain that can go on has, within this turn of the event loop. */
export function promisesSettled(): Promise<void> {
  return new Promise((resolve) => afterPromises(resolve)());
}

/** The process's own chance. */
export const systemRandom: Random = Math.random;

/** This process's event loop, for whoever measures its turns. */
export const eventLoop: {
  /** Calls `then` in the next turn, once due I/O was delivered. Keeps the process alive until then. */
  readonly onNextTurn: (then: () => void) => void;
  /** For how many ms the loop has waited for something to do since the process started. */
  readonly idleMs: () => number;
  /** Processor time that all threads of the process have had so far, in ms. */
  readonly cpuMs: () => number;
} = {
  onNextTurn: (then) => {
    setImmediate(then);
  },
  idleMs: () => performance.nodeTiming.idleTime,
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};
