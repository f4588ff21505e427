import type { Attempt, AttemptContext } from '../call/attempt.js';
import type { CancelListener } from '../call/call.js';
import { type Judgement, judge } from '../call/judgement.js';
import { failure, type Outcome, success } from '../call/outcome.js';
import { isThenable } from '../call/thenable.js';
import { type OperationCall, type OperationFacts, operationOf } from '../pipeline/operation-call.js';
import {
  tellAttemptEnd,
  tellAttemptResend,
  tellAttemptStart,
  tellAttemptWaste,
} from '../pipeline/operation-events.js';
import { Timer } from '../time/clock.js';
import { afflicted } from './faulty-work.js';
import { surrounded } from './surrounded-work.js';
import { CANCELLED, deadlineExceeded, override, REFUSED, timeUp } from './verdicts.js';

/** One step inside the retry loop. */
export type AttemptStep = (attempt: Attempt) => Promise<Outcome<unknown>>;

/** The innermost slot: runs the work of one attempt within min(attempt.timeout, time left). */
export function attemptStep(attempt: Attempt): Promise<Outcome<unknown>> {
  const op = operationOf(attempt);
  if (attempt.cancelled) {
    attempt.judgement = CANCELLED;
    return Promise.resolve(failure(attempt.reason));
  }
  const now = op.clock.now();
  const left = op.workUntil - now;
  if (left <= 0) {
    attempt.judgement = REFUSED;
    return Promise.resolve(failure(deadlineExceeded(op, 'no')));
  }
  return new AttemptRun(op, attempt, now, left).outcome;
}

/**
 * Reads an attempt's end into its `judgement`, and answers with the outcome that stands. A `classify` that throws is
 * a programmer's error, and the caller's to see.
 */
export function read(
  op: OperationFacts,
  attempt: Attempt,
  outcome: Outcome<unknown>,
  base?: Judgement,
): Outcome<unknown> {
  try {
    attempt.judgement = override(op, attempt, outcome, base ?? op.spec.judge(outcome, attempt));
    return outcome;
  } catch (error) {
    attempt.judgement = judge('misuse');
    return failure(error);
  }
}

/**
 * Calls the work: a promise of its result, or the outcome it had at once. Thenables of other makes may settle twice or
 * throw out of `then`; as promises they cannot (C-035).
 */
export function callWork<A extends AttemptContext>(
  op: { readonly spec: { work(attempt: A): unknown } },
  attempt: A,
): PromiseLike<unknown> | Outcome<unknown> {
  try {
    const result = op.spec.work(attempt);
    return isThenable(result) ? Promise.resolve(result) : success(result);
  } catch (error) {
    return failure(error);
  }
}

/** Work came back after its attempt had been given up: nobody gets what it brought. */
export function cameLate(op: OperationFacts, attempt: Attempt, outcome: Outcome<unknown>): void {
  if (outcome.ok) op.spec.discard?.(outcome.value);
  if (op.runtime.emit.enabled) tellAttemptWaste(op, attempt);
}

/**
 * Runs what a timer has brought about. A timer belongs to no request, or to another one, so where there is an ambient
 * context its work is taken back into the one of its own call (C-074).
 */
export function inOwnContext({ runtime, spec }: OperationFacts, act: () => void): void {
  const { context } = runtime;
  const { parent } = spec.options;
  if (context === undefined || parent === undefined) act();
  else context.run(parent, act);
}

/**
 * One running attempt: its timer, its cancel listener and its promise in one object. Ends once, by whichever comes
 * first of answer, timer and cancellation; work that comes back later only gives its unit back.
 */
class AttemptRun extends Timer implements CancelListener {
  readonly outcome: Promise<Outcome<unknown>>;
  readonly #op: OperationCall;
  readonly #attempt: Attempt;
  #resolve!: (outcome: Outcome<unknown>) => void;
  #done = false;

  constructor(op: OperationCall, attempt: Attempt, now: number, left: number) {
    super();
    this.#op = op;
    this.#attempt = attempt;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    attempt.startedAt = now;
    attempt.timeoutMs = Math.min(op.runtime.options.attempt.timeoutMs, left);
    op.attempts++;
    op.runtime.attempts++;
    if (op.runtime.emit.enabled) tellAttemptStart(op, attempt, left);
    attempt.listen(this);
    op.clock.arm(this, attempt.timeoutMs, now);
    this.#start();
  }

  /** Its time is up: the caller is answered now, whatever the work does. */
  onTimer(): void {
    inOwnContext(this.#op, () => this.#timeUp());
  }

  #timeUp(): void {
    const { error, judgement } = timeUp(this.#op, this.#attempt, this.#attempt.timeoutMs);
    this.#end(read(this.#op, this.#attempt, failure(error), judgement));
    this.#attempt.cancel(error);
  }

  onCancel(reason: unknown): void {
    if (this.#done) return;
    this.#attempt.judgement = CANCELLED;
    this.#end(failure(reason));
  }

  #start(): void {
    this.#attempt.workStarted();
    const op = this.#op;
    const { emit } = op.runtime;
    const load = afflicted(op, this.#attempt);
    const result = callWork(
      emit.surround === undefined ? load : surrounded(load, emit.surround, op, this.#attempt.number),
      this.#attempt,
    );
    if (!isThenable(result)) {
      this.#settled(result);
      return;
    }
    result.then(
      (value) => this.#settled(success(value)),
      (error) => this.#settled(failure(error)),
    );
  }

  /** The work came back, in time or late. */
  #settled(outcome: Outcome<unknown>): void {
    const attempt = this.#attempt;
    if (this.#done) {
      cameLate(this.#op, attempt, outcome);
      attempt.workEnded();
      return;
    }
    const stands = read(this.#op, attempt, outcome);
    if (attempt.judgement.kind === 'stale' && !attempt.resend) {
      attempt.resend = true;
      if (this.#op.runtime.emit.enabled) tellAttemptResend(this.#op, attempt);
      this.#start();
      attempt.workEnded();
      return;
    }
    attempt.workEnded();
    this.#end(stands);
  }

  #end(outcome: Outcome<unknown>): void {
    const op = this.#op;
    const attempt = this.#attempt;
    this.#done = true;
    op.clock.disarm(this);
    attempt.unlisten(this);
    attempt.endedAt = op.clock.now();
    if (op.runtime.emit.enabled) tellAttemptEnd(op, attempt);
    this.#resolve(outcome);
  }
}
