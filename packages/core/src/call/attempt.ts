import type { Clock } from '../time/clock.js';
import { Call } from './call.js';
import type { Sent } from './errors.js';
import { GOOD, type Judgement } from './judgement.js';

/** What the function given to `.call()` gets. */
export interface AttemptContext {
  /** 1-based. */
  readonly number: number;
  /** Aborts when this attempt's time is up or the operation is cancelled. */
  readonly signal: AbortSignal;
  /** Time granted to this attempt: min(attempt.timeout, time left). Infinity when unbounded. */
  readonly timeoutMs: number;
  /** What is left of that. */
  remainingMs(): number;
}

/** One try of an operation. */
export class Attempt extends Call implements AttemptContext {
  readonly number: number;
  /** True after a timeout or reset: the next try takes a connection of its own. */
  readonly fresh: boolean;
  /** True when the attempt before this one still runs: then it takes a unit or goes without, and never waits. */
  afterDetached = false;
  /** True while a stale connection's request is sent again under the same number. */
  resend = false;
  /** Time granted, known once it starts. */
  timeoutMs: number = Number.POSITIVE_INFINITY;
  /** -1 until its work starts. */
  startedAt = -1;
  /** -1 until it has ended. */
  endedAt = -1;
  judgement: Judgement = GOOD;
  /** How far its request came, as far as the transport can tell. */
  sent: Sent = 'maybe';
  /** Ticket of the breaker, 0 when none was given. */
  ticket = 0;
  /** Let through by a breaker that only observes, or holds no opinion: its result is not recorded. */
  unrecorded = false;
  /** Pieces of its work still running; the bulkhead's unit stays held while there are any. */
  #running = 0;
  #onIdle: (() => void) | undefined;

  constructor(clock: Clock, parent: Call | undefined, answerBy: number, workUntil: number, number: number, fresh: boolean) {
    super(clock, parent, answerBy, workUntil);
    this.number = number;
    this.fresh = fresh;
  }

  override remainingMs(): number {
    return Math.max(0, Math.min(this.workUntil, this.startedAt + this.timeoutMs) - this.clock.now());
  }

  /** Is some of its work still running? */
  get running(): boolean {
    return this.#running > 0;
  }

  workStarted(): void {
    this.#running++;
  }

  workEnded(): void {
    this.#running--;
    if (this.#running > 0 || this.#onIdle === undefined) return;
    const tell = this.#onIdle;
    this.#onIdle = undefined;
    tell();
  }

  /** Counts `work` as part of this attempt until it settles: the body of a stream whose headers have answered. */
  hold(work: Promise<unknown>): void {
    this.workStarted();
    const ended = () => this.workEnded();
    work.then(ended, ended);
  }

  /** Calls `tell` once nothing of it runs any more; at once when nothing does. */
  whenIdle(tell: () => void): void {
    if (this.#running === 0) tell();
    else this.#onIdle = tell;
  }
}
