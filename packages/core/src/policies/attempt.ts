import type { Attempt } from '../call/attempt.js';
import type { CancelListener } from '../call/call.js';
import { type Judgement, judge } from '../call/judgement.js';
import { failure, type Outcome, success } from '../call/outcome.js';
import { type OperationCall, operationOf } from '../pipeline/operation-call.js';
import { Timer } from '../time/clock.js';
import { CANCELLED, deadlineExceeded, override, REFUSED, readAttempt, timeUp } from './verdicts.js';

/** One step inside the retry loop. */
export type AttemptStep = (attempt: Attempt) => Promise<Outcome<unknown>>;

/** The innermost slot: runs the work of one attempt within min(attempt.timeout, time left). */
export function attemptStep(attempt: Attempt): Promise<Outcome<unknown>> {
  const op = operationOf(attempt);
  const now = op.clock.now();
  const left = op.workUntil - now;
  if (left <= 0) {
    attempt.judgement = REFUSED;
    return Promise.resolve(failure(deadlineExceeded(op, 'no')));
  }
  return new AttemptRun(op, attempt, now, left).outcome;
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
    const { timeoutMs } = op.runtime.options.attempt;
    attempt.startedAt = now;
    attempt.timeoutMs = Math.min(timeoutMs, left);
    this.#announce(left);
    attempt.listen(this);
    if (attempt.timeoutMs < Number.POSITIVE_INFINITY) op.clock.arm(this, attempt.timeoutMs);
    this.#start();
  }

  /** Its time is up: the caller is answered now, whatever the work does. */
  onTimer(): void {
    const { error, judgement } = timeUp(this.#op, this.#attempt, this.#attempt.timeoutMs);
    const read = this.#read(failure(error), judgement);
    this.#end(read.outcome, read.judgement);
    this.#attempt.cancel(error);
  }

  onCancel(reason: unknown): void {
    if (!this.#done) this.#end(failure(reason), CANCELLED);
  }

  #announce(left: number): void {
    const { runtime, spec, id } = this.#op;
    const { number, startedAt: at, timeoutMs } = this.#attempt;
    this.#op.attempts++;
    runtime.attempts++;
    if (!runtime.emit.enabled) return;
    const base = { dependency: runtime.name, operation: spec.operation, id, at };
    runtime.emit.emit({ type: 'attempt.start', ...base, attempt: number, timeoutMs, remainingMs: left });
  }

  #start(): void {
    this.#attempt.workStarted();
    const result = this.#work();
    if (!isThenable(result)) {
      this.#settled(result);
      return;
    }
    result.then(
      (value) => this.#settled(success(value)),
      (error) => this.#settled(failure(error)),
    );
  }

  /** Calls the work: a promise of its result, or the outcome it had at once. */
  #work(): PromiseLike<unknown> | Outcome<unknown> {
    try {
      const result = this.#op.spec.work(this.#attempt);
      return isThenable(result) ? result : success(result);
    } catch (error) {
      return failure(error);
    }
  }

  /** The work came back, in time or late. */
  #settled(outcome: Outcome<unknown>): void {
    const attempt = this.#attempt;
    if (this.#done) {
      this.#late(outcome);
      attempt.workEnded();
      return;
    }
    const read = this.#read(outcome);
    if (read.judgement.kind === 'stale' && !attempt.resend) {
      this.#resend();
      attempt.workEnded();
      return;
    }
    attempt.workEnded();
    this.#end(read.outcome, read.judgement);
  }

  /** A reset of a reused connection before any byte: once more on a fresh one, under the same number. */
  #resend(): void {
    const { runtime, spec, id, clock } = this.#op;
    this.#attempt.resend = true;
    if (runtime.emit.enabled) {
      const base = { dependency: runtime.name, operation: spec.operation, id, at: clock.now() };
      runtime.emit.emit({ type: 'attempt.resend', ...base, attempt: this.#attempt.number });
    }
    this.#start();
  }

  #late(outcome: Outcome<unknown>): void {
    const { runtime, spec, id, clock } = this.#op;
    if (outcome.ok) spec.discard?.(outcome.value);
    if (!runtime.emit.enabled) return;
    const at = clock.now();
    const base = { dependency: runtime.name, operation: spec.operation, id, at };
    runtime.emit.emit({
      type: 'attempt.wasted',
      ...base,
      attempt: this.#attempt.number,
      lateMs: at - this.#attempt.endedAt,
    });
  }

  /** The verdict, `classify` included: one that throws is a programmer's error, and the caller's to see. */
  #read(outcome: Outcome<unknown>, base?: Judgement): { outcome: Outcome<unknown>; judgement: Judgement } {
    try {
      const judgement =
        base === undefined
          ? readAttempt(this.#op, this.#attempt, outcome)
          : override(this.#op, this.#attempt, outcome, base);
      return { outcome, judgement };
    } catch (error) {
      return { outcome: failure(error), judgement: judge('misuse') };
    }
  }

  #end(outcome: Outcome<unknown>, judgement: Judgement): void {
    const op = this.#op;
    const attempt = this.#attempt;
    this.#done = true;
    op.clock.disarm(this);
    attempt.unlisten(this);
    attempt.endedAt = op.clock.now();
    attempt.judgement = judgement;
    this.#report(judgement);
    this.#resolve(outcome);
  }

  #report({ kind, breaker: result, status, sent }: Judgement): void {
    const { runtime, spec, id } = this.#op;
    if (!runtime.emit.enabled) return;
    const { number: attempt, startedAt, endedAt: at } = this.#attempt;
    const base = { dependency: runtime.name, operation: spec.operation, id, at };
    runtime.emit.emit({
      type: 'attempt.end',
      ...base,
      attempt,
      kind,
      result,
      status,
      sent,
      durationMs: at - startedAt,
    });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}
