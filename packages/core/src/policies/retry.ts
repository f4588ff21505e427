import { Attempt } from '../call/attempt.js';
import type { Sent, StopReason } from '../call/errors.js';
import { isSpillwayError } from '../call/errors.js';
import { failure, type Outcome } from '../call/outcome.js';
import type { OperationCall } from '../pipeline/operation-call.js';
import type { AttemptStep } from './attempt.js';
import { concede, type Setback, strongest } from './final-failure.js';
import { type Decision, decideRetry } from './retry-decision.js';
import { RetrySleep } from './retry-sleep.js';
import { CANCELLED } from './verdicts.js';

type OperationStep = (op: OperationCall) => Promise<Outcome<unknown>>;

/** The retry loop: one attempt after another, each asked for before it waits. Without a retry policy, one attempt. */
export function retryLayer(next: AttemptStep): OperationStep {
  return (op) => new RetryLoop(op, next).run();
}

class RetryLoop {
  readonly #op: OperationCall;
  readonly #next: AttemptStep;
  #setback: Setback | undefined;
  #sent: Sent = 'no';
  #waitMs = 0;
  /** When the running or sleeping retry was granted; undefined for the first attempt. */
  #grantedAt: number | undefined;

  constructor(op: OperationCall, next: AttemptStep) {
    this.#op = op;
    this.#next = next;
  }

  async run(): Promise<Outcome<unknown>> {
    const op = this.#op;
    let attempt = op.first?.attempt ?? this.#attempt(undefined);
    for (;;) {
      const outcome = attempt === op.first?.attempt ? op.first.outcome : await this.#try(attempt);
      const end = this.#endOf(attempt, outcome);
      if (end !== undefined) return end;
      const decision = this.#decide(attempt);
      if (typeof decision === 'string') return this.#stop(attempt, decision);
      const cut = await this.#rest(attempt, decision);
      if (cut !== undefined) return cut;
      attempt = this.#attempt(attempt);
    }
  }

  async #try(attempt: Attempt): Promise<Outcome<unknown>> {
    const outcome = await this.#next(attempt);
    attempt.end();
    return outcome;
  }

  /** Ends the loop at once for success, cancellation, misuse and our own refusals; else keeps the setback. */
  #endOf(attempt: Attempt, outcome: Outcome<unknown>): Outcome<unknown> | undefined {
    const op = this.#op;
    const { judgement } = attempt;
    if (judgement.kind === 'refused') return this.#refused(attempt, outcome);
    // cancelled while it waited for its breaker or its unit: a retry that was never made
    if (attempt.startedAt < 0) this.#giveBack();
    else this.#retryEnded();
    op.verdict = judgement;
    if (judgement.kind === 'cancelled' || judgement.kind === 'misuse') {
      op.stopped = judgement.kind === 'cancelled' ? 'cancelled' : undefined;
      return outcome;
    }
    this.#sent = strongest(this.#sent, judgement.sent);
    const isCut = judgement.kind === 'cut-early' || judgement.kind === 'cut-late';
    if (isCut && this.#setback !== undefined) return this.#stop(attempt, 'deadline');
    if (judgement.retry === 'never' && judgement.caller === 'itself') return outcome;
    this.#setback = { outcome, judgement };
    return undefined;
  }

  /** A refusal of our own: the first is the caller's answer; a later one only says why we stopped. */
  #refused(attempt: Attempt, outcome: Outcome<unknown>): Outcome<unknown> {
    this.#giveBack();
    if (this.#setback !== undefined) return this.#stop(attempt, stopOf(outcome.error));
    this.#op.verdict = attempt.judgement;
    return outcome;
  }

  /** Asks time, attempts and breaker, and last the budget: a refusal comes before any wait (F-25). */
  #decide(attempt: Attempt): Decision {
    const op = this.#op;
    const now = attempt.endedAt >= 0 ? attempt.endedAt : op.clock.now();
    const decision = decideRetry(op, attempt, now, this.#waitMs);
    if (typeof decision === 'string') return decision;
    if (!this.#granted(attempt, now)) return 'budget';
    op.runtime.retries++;
    this.#reportScheduled(attempt, now, decision);
    return decision;
  }

  #granted(attempt: Attempt, now: number): boolean {
    const { budget, options } = this.#op.runtime;
    if (budget === undefined) return true;
    if (budget.tryGrant(now, this.#op.tenant)) {
      this.#grantedAt = now;
      return true;
    }
    const observed = options.retry?.budget?.mode === 'observe';
    this.#reportBudget(attempt, now, observed);
    return observed;
  }

  /** Sleeps; answers with the operation's end when the sleep was cut. */
  async #rest(attempt: Attempt, waitMs: number): Promise<Outcome<unknown> | undefined> {
    const op = this.#op;
    const setback = this.#setback as Setback;
    if (setback.outcome.ok) op.spec.discard?.(setback.outcome.value);
    this.#waitMs = waitMs;
    // even no wait is a turn of the loop: work that obeys its abort has ended by then, and gave its unit back
    const woken = op.cancelled ? 'cancelled' : await new RetrySleep(op, waitMs).woken;
    if (op.cancelled) {
      this.#giveBack();
      op.verdict = CANCELLED;
      op.stopped = 'cancelled';
      return failure(op.reason);
    }
    if (woken === 'rested') return undefined;
    this.#giveBack();
    return this.#stop(attempt, 'closed');
  }

  #attempt(previous: Attempt | undefined): Attempt {
    const { clock, workUntil } = this.#op;
    return new Attempt(clock, this.#op, workUntil, previous);
  }

  #stop(attempt: Attempt, stopped: StopReason): Outcome<unknown> {
    const { runtime, spec, id, clock } = this.#op;
    if (runtime.emit.enabled && stopped !== 'not-retryable') {
      runtime.emit.emit({
        type: 'retry.stopped',
        dependency: runtime.name,
        operation: spec.operation,
        id,
        at: clock.now(),
        attempt: attempt.number,
        stopped,
      });
    }
    return concede(this.#op, this.#setback as Setback, stopped, this.#sent);
  }

  #retryEnded(): void {
    if (this.#grantedAt === undefined) return;
    this.#grantedAt = undefined;
    this.#op.runtime.budget?.retryEnded(this.#op.tenant);
  }

  #giveBack(): void {
    if (this.#grantedAt === undefined) return;
    const { runtime, clock, tenant } = this.#op;
    runtime.budget?.giveBack(this.#grantedAt, clock.now(), tenant);
    this.#grantedAt = undefined;
  }

  #reportBudget({ number: attempt }: Attempt, at: number, observed: boolean): void {
    const { runtime, spec, id } = this.#op;
    if (!runtime.emit.enabled) return;
    runtime.emit.emit({
      type: 'budget.refused',
      dependency: runtime.name,
      operation: spec.operation,
      id,
      at,
      attempt,
      observed,
    });
  }

  #reportScheduled(attempt: Attempt, at: number, delayMs: number): void {
    const { runtime, spec, id, workUntil } = this.#op;
    if (!runtime.emit.enabled) return;
    const reason = attempt.judgement.kind;
    const remainingMs = workUntil - at;
    runtime.emit.emit({
      type: 'retry.scheduled',
      dependency: runtime.name,
      operation: spec.operation,
      id,
      at,
      attempt: attempt.number + 1,
      delayMs,
      reason,
      remainingMs,
    });
  }
}

function stopOf(refusal: unknown): StopReason {
  if (isSpillwayError(refusal, 'ERR_BREAKER_OPEN')) return 'breaker';
  return isSpillwayError(refusal, 'ERR_BULKHEAD_FULL') ? 'bulkhead' : 'deadline';
}
