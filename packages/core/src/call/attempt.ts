import type { Clock } from '../time/clock.js';
import { Call, type CancelListener } from './call.js';
import type { Sent } from './error-catalogue.js';
import { GOOD, type Judgement } from './judgement.js';
import type { OutcomeKind } from './outcome-table.js';

/** Ticket of a call that the breaker lets pass without an opinion: in observe mode. */
export const UNRECORDED: number = Number.NEGATIVE_INFINITY;

const BROKEN_CONNECTION: ReadonlySet<OutcomeKind> = new Set(['timeout', 'reset', 'stale', 'truncated']);

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

/**
 * What the function gets in fact: transports that have no use for a signal hear without one that the attempt was
 * given up, which costs them nothing to ask for. At most one listener.
 */
export interface WatchedAttempt extends AttemptContext {
  listen(listener: CancelListener): void;
  unlisten(listener: CancelListener): void;
}

/** What matters of a try to the next one. */
export interface Tried {
  readonly number: number;
  readonly judgement: Judgement;
  readonly running: boolean;
}

/** One try of an operation. */
export class Attempt extends Call implements WatchedAttempt {
  readonly number: number;
  /** The try before this one. */
  readonly previous: Tried | undefined;
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
  /** Its time goes on our side: in making a body, or waiting for a socket. Then running out of it says nothing of the callee. */
  waiting = false;
  /** Has its operation waited for its unit already, before this attempt was made? */
  holdsUnit = false;
  /** Ticket of the breaker; 0 while it has none, `UNRECORDED` where it needs none. */
  ticket = 0;
  /** Pieces of its work still running; the bulkhead's unit stays held while there are any. */
  #running = 0;
  #onIdle: (() => void) | undefined;

  constructor(clock: Clock, parent: Call | undefined, workUntil: number, previous: Tried | undefined) {
    super(clock, parent, workUntil);
    this.previous = previous;
    this.number = previous === undefined ? 1 : previous.number + 1;
  }

  /** True after a timeout or reset: this try takes a connection of its own. */
  get fresh(): boolean {
    return this.previous !== undefined && BROKEN_CONNECTION.has(this.previous.judgement.kind);
  }

  /** Does the attempt before this one still run? Then it takes a unit or goes without, and never waits. */
  get afterDetached(): boolean {
    return this.previous?.running === true;
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
