import { Guest, type RefusalReason, type RequestCall, retryAfterSeconds, type Timer } from '@spillway/core';
import { ErrorAnswer } from './answer.js';
import type { Caller, CallerWatch } from './caller.js';
import type { Instance } from './instance.js';

export type VisitPhase = 'arriving' | 'queued' | 'working' | 'calling' | 'done';

/** One request inside one instance of a service: its place at the gate, in the queue and in work. */
export class Visit extends Guest implements CallerWatch {
  readonly caller: Caller;
  readonly instance: Instance;
  readonly arrivedAt: number;
  /** Bounds of the work, where the service runs Spillway. */
  readonly call: RequestCall | undefined;
  /** Fires when the answer is due. */
  answerTimer: Timer | undefined = undefined;
  phase: VisitPhase = 'arriving';
  startedAt = -1;
  answered = false;

  constructor(caller: Caller, instance: Instance, arrivedAt: number, call: RequestCall | undefined) {
    super();
    this.caller = caller;
    this.instance = instance;
    this.arrivedAt = arrivedAt;
    this.call = call;
    this.rank = caller.rank;
    caller.watch = this;
  }

  get patience(): number {
    return this.call?.answerBy ?? Number.POSITIVE_INFINITY;
  }

  /** Answers of a simulated service come whole. */
  get isStreaming(): boolean {
    return false;
  }

  /** A simulated answer has no headers that a stream could have sent already. */
  watchHeaders(): void {}

  onTimer(): void {
    if (this.place === 'waiting') this.instance.waitedTooLong(this);
    else this.instance.worked(this);
  }

  callerGone(): void {
    this.instance.onGone(this);
  }

  onAdmitted(): void {
    this.instance.admitted(this);
  }

  onRefused(reason: RefusalReason, retryAfterMs: number): void {
    this.instance.refuse(
      this,
      `gate: ${reason}`,
      new ErrorAnswer(503, { retryAfter: retryAfterSeconds(retryAfterMs) }),
    );
  }

  onPardoned(): void {
    // the gate only observes
  }
}
