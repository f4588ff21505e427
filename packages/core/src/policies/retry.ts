import { Attempt, type Tried } from '../call/attempt.js';
import type { CancelListener } from '../call/call.js';
import type { Sent, StopReason } from '../call/error-catalogue.js';
import { isSpillwayError } from '../call/errors.js';
import { judge } from '../call/judgement.js';
import { failure, type Outcome } from '../call/outcome.js';
import type { Sleeper } from '../pipeline/dependency-runtime.js';
import type { OperationCall } from '../pipeline/operation-call.js';
import { Timer } from '../time/clock.js';
import type { AttemptStep } from './attempt.js';
import { concede, Setback, strongest } from './final-failure.js';
import { type Decision, decideRetry } from './retry-decision.js';
import { CANCELLED } from './verdicts.js';

type OperationStep = (op: OperationCall) => Promise<Outcome<unknown>>;

/** Told, once, how an operation's attempts ended. */
type Done = (op: OperationCall, outcome: Outcome<unknown>) => void;

interface Woken {
  readonly loop: RetryLoop;
  /** By the spillway, which drains? */
  readonly drained: boolean;
}

/** The retry loop: one attempt after another, each asked for before it waits. Without a retry policy, one attempt. */
export function retryLayer(next: AttemptStep): OperationStep {
  return (op) =>
    new Promise((resolve) => {
      new RetryLoop(op, next, (_, outcome) => resolve(outcome)).begin();
    });
}

/**
 * The loop of one operation, and its sleep between two attempts. All that an operation is while it sleeps is this
 * object and its call: no frame waits for it, since there may be very many.
 */
export class RetryLoop extends Timer implements CancelListener, Sleeper {
  readonly #op: OperationCall;
  readonly #next: AttemptStep;
  readonly #done: Done;
  #setback: Setback | undefined;
  #sent: Sent = 'no';
  #waitMs = 0;
  /** When the running or sleeping retry was granted; undefined for the first attempt. */
  #grantedAt: number | undefined;
  #wake!: (woken: Woken) => void;

  constructor(op: OperationCall, next: AttemptStep, done: Done) {
    super();
    this.#op = op;
    this.#next = next;
    this.#done = done;
  }

  /** Makes the first attempt, or the next one. */
  begin(): void {
    const { clock, workUntil } = this.#op;
    this.make(new Attempt(clock, this.#op, workUntil, this.#setback));
  }

  make(attempt: Attempt): void {
    this.#next(attempt).then(
      (outcome) => {
        attempt.end();
        this.goOn(attempt, outcome);
      },
      (error) => this.#done(this.#op, this.#misused(error)),
    );
  }

  /** Goes on from an attempt that has ended: to the operation's end, or to sleep. */
  goOn(attempt: Attempt, outcome: Outcome<unknown>): void {
    const end = this.#follow(attempt, outcome);
    if (end !== undefined) this.#done(this.#op, end);
  }

  #follow(attempt: Attempt, outcome: Outcome<unknown>): Outcome<unknown> | undefined {
    try {
      const end = this.#endOf(attempt, outcome);
      if (end !== undefined) return end;
      const decision = this.#decide(attempt);
      return typeof decision === 'string' ? this.#stop(attempt, decision) : this.#rest(decision);
    } catch (error) {
      return this.#misused(error);
    }
  }

  /** A backoff function that throws is a programmer's error, and the caller's to see. */
  #misused(error: unknown): Outcome<never> {
    this.#giveBack();
    this.#op.verdict = judge('misuse');
    return failure(error);
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
    if (judgement.kind === 'cancelled') {
      op.stopped = 'cancelled';
      return outcome;
    }
    this.#sent = strongest(this.#sent, judgement.sent);
    const isCut = judgement.kind === 'cut-early' || judgement.kind === 'cut-late';
    if (isCut && this.#setback !== undefined) return this.#stop(attempt, 'deadline');
    if (judgement.retry === 'never' && judgement.caller === 'itself') return outcome;
    this.#setback = new Setback(attempt, outcome);
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
    // a policy of the application around the attempt may have taken its time since that ended
    const now = op.clock.now();
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

  /** Goes to sleep; answers with the operation's end when it is over already. */
  #rest(waitMs: number): Outcome<never> | undefined {
    const op = this.#op;
    const { outcome } = this.#setback as Setback;
    if (outcome.ok) op.spec.discard?.(outcome.value);
    if (op.cancelled) return this.#cancelled();
    this.#waitMs = waitMs;
    // by a promise, so that what follows runs in the context of its caller, not in that of a timer
    new Promise<Woken>((resolve) => {
      this.#wake = resolve;
    }).then(RetryLoop.#rested);
    op.listen(this);
    op.runtime.sleepers ??= new Set();
    op.runtime.sleepers.add(this);
    // even no wait is a turn of the loop: work that obeys its abort has ended by then, and gave its unit back
    op.clock.arm(this, waitMs);
    return undefined;
  }

  static #rested({ loop, drained }: Woken): void {
    const end = loop.#endOfRest(drained);
    if (end === undefined) loop.begin();
    else loop.#done(loop.#op, end);
  }

  #endOfRest(drained: boolean): Outcome<unknown> | undefined {
    if (this.#op.cancelled) return this.#cancelled();
    if (!drained) return undefined;
    this.#giveBack();
    return this.#stop(this.#setback as Setback, 'closed');
  }

  #cancelled(): Outcome<never> {
    const op = this.#op;
    this.#giveBack();
    op.verdict = CANCELLED;
    op.stopped = 'cancelled';
    return failure(op.reason);
  }

  onTimer(): void {
    this.#wakeUp();
  }

  /** Cancellation and drain cut the sleep in the same turn. */
  onCancel(): void {
    this.#wakeUp();
  }

  stop(): void {
    this.#wakeUp(true);
  }

  #wakeUp(drained = false): void {
    const op = this.#op;
    op.clock.disarm(this);
    op.unlisten(this);
    op.runtime.sleepers?.delete(this);
    this.#wake({ loop: this, drained });
  }

  #stop(attempt: Tried, stopped: StopReason): Outcome<unknown> {
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
