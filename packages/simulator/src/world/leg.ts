import type { CancelListener, WatchedAttempt } from '@spillway/core';
import type { Answer, Broken } from './answer.js';
import type { Caller, CallerWatch } from './caller.js';

/** What legs of one dependency report to. */
export interface LegReport {
  wasted(ms: number): void;
}

/** One attempt on its way to another service and back. Going away frees its caller at once, as a closed socket does. */
export class Leg implements Caller, CancelListener {
  readonly method: 'GET' | 'POST';
  readonly attempt: number;
  readonly budgetMs: number | undefined;
  readonly rank: number;
  readonly outcome: Promise<Answer>;
  gone = false;
  watch: CallerWatch | undefined = undefined;
  readonly #attempt: WatchedAttempt;
  readonly #report: LegReport;
  #resolve!: (answer: Answer) => void;
  #reject!: (error: unknown) => void;

  constructor(
    attempt: WatchedAttempt,
    method: 'GET' | 'POST',
    budgeted: boolean,
    rank: number,
    report: LegReport,
  ) {
    this.method = method;
    this.attempt = attempt.number;
    this.budgetMs = budgeted ? attempt.remainingMs() : undefined;
    this.rank = rank;
    this.#attempt = attempt;
    this.#report = report;
    this.outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    attempt.listen(this);
  }

  answered(answer: Answer): void {
    this.#attempt.unlisten(this);
    this.#resolve(answer);
  }

  broken(how: Broken): void {
    this.#attempt.unlisten(this);
    this.#reject(how);
  }

  wasted(ms: number): void {
    this.#report.wasted(ms);
  }

  onCancel(reason: unknown): void {
    this.gone = true;
    this.#reject(reason);
    this.watch?.callerGone();
  }
}
