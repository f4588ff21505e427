import type { Units, UnitWaiter } from '../algorithms/units.js';
import { type Attempt, UNRECORDED } from '../call/attempt.js';
import type { CancelListener } from '../call/call.js';
import { type SpillwayError, spillwayError } from '../call/errors.js';
import { failure, type Outcome } from '../call/outcome.js';
import type { ResolvedBulkhead } from '../config/resolved.js';
import { type OperationCall, type OperationFacts, operationOf } from '../pipeline/operation-call.js';
import { Timer } from '../time/clock.js';
import type { AttemptStep } from './attempt.js';
import { Detachment } from './detachment.js';
import { CANCELLED, deadlineExceeded, REFUSED } from './verdicts.js';

/** Retry-After of a full bulkhead: units come and go far within it. */
const FULL_RETRY_AFTER_MS = 1000;

/**
 * One unit per running piece of work. It is given back when the work ends, not when its caller is answered: work
 * that ignores its abort keeps it, detached, until it ends or `detachAfter` has passed (D5).
 */
export function bulkheadLayer(next: AttemptStep): AttemptStep {
  return async (attempt) => {
    const op = operationOf(attempt);
    const refusal = await takeUnit(op, attempt);
    if (refusal !== undefined) return refusal;
    const outcome = await next(attempt);
    releaseWhenIdle(op, attempt);
    return outcome;
  };
}

/** A retry queues ahead of newcomers; after a detached attempt it tries and never waits; a probe may go one above. */
function takeUnit(
  op: OperationCall,
  attempt: Attempt,
): Outcome<never> | undefined | Promise<Outcome<never> | undefined> {
  const { runtime } = op;
  const units = runtime.units as Units;
  const options = runtime.options.bulkhead as ResolvedBulkhead;
  const isProbe = attempt.ticket < 0 && attempt.ticket !== UNRECORDED;
  if (units.tryTake(isProbe ? 1 : 0)) return undefined;
  if (options.mode === 'observe') {
    reportRefused(op, 'full', true);
    units.tryTake(Number.POSITIVE_INFINITY);
    return undefined;
  }
  const mayWait = !isProbe && !attempt.afterDetached && options.waitMs > 0;
  if (!mayWait) return refused(op, attempt, full(op), 'full');
  return new UnitWait(op, attempt, units, options.waitMs).outcome;
}

/** A place in the queue: ends by a unit, by the wait, by the operation's time, or by cancellation. */
class UnitWait extends Timer implements CancelListener, UnitWaiter {
  prevWaiter: UnitWaiter | undefined = undefined;
  nextWaiter: UnitWaiter | undefined = undefined;
  queue: unknown = undefined;
  readonly outcome: Promise<Outcome<never> | undefined>;
  readonly #op: OperationCall;
  readonly #attempt: Attempt;
  readonly #units: Units;
  readonly #since: number;
  readonly #byDeadline: boolean;
  #resolve!: (outcome: Outcome<never> | undefined) => void;

  constructor(op: OperationCall, attempt: Attempt, units: Units, waitMs: number) {
    super();
    this.#op = op;
    this.#attempt = attempt;
    this.#units = units;
    this.#since = op.clock.now();
    const left = op.workUntil - this.#since;
    this.#byDeadline = left <= waitMs;
    this.outcome = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    if (units.enqueue(this, attempt.number > 1)) this.#wait(Math.min(left, waitMs));
    else this.#resolve(refused(op, attempt, full(op), 'full'));
  }

  onUnit(): void {
    this.#leave();
    const { runtime, spec, id, clock } = this.#op;
    if (runtime.emit.enabled) {
      const at = clock.now();
      runtime.emit.emit({
        type: 'bulkhead.dequeued',
        dependency: runtime.name,
        operation: spec.operation,
        id,
        at,
        waitedMs: at - this.#since,
      });
    }
    this.#resolve(undefined);
  }

  onTimer(): void {
    this.#units.remove(this);
    this.#leave();
    const op = this.#op;
    const refusal = this.#byDeadline ? deadlineExceeded(op, 'no') : full(op);
    this.#resolve(refused(op, this.#attempt, refusal, this.#byDeadline ? 'deadline' : 'waited'));
  }

  onCancel(reason: unknown): void {
    this.#units.remove(this);
    this.#leave();
    this.#attempt.judgement = CANCELLED;
    this.#resolve(failure(reason));
  }

  #wait(ms: number): void {
    const { runtime, spec, id, clock } = this.#op;
    this.#attempt.listen(this);
    clock.arm(this, ms);
    if (!runtime.emit.enabled) return;
    runtime.emit.emit({
      type: 'bulkhead.queued',
      dependency: runtime.name,
      operation: spec.operation,
      id,
      at: this.#since,
      queued: this.#units.queued,
    });
  }

  #leave(): void {
    this.#op.clock.disarm(this);
    this.#attempt.unlisten(this);
  }
}

/** Gives the unit back once nothing of the attempt runs any more, or as `Detachment` says. */
export function releaseWhenIdle(op: OperationFacts, attempt: Attempt): void {
  const units = op.runtime.units as Units;
  // a stream whose headers answered in time is no runaway: its unit stays with it to the end of its body
  const isStream = attempt.judgement.kind === 'answer';
  if (attempt.running && !isStream) new Detachment(op, attempt, units);
  else attempt.whenIdle(() => units.giveBack());
}

function full(op: OperationCall): SpillwayError {
  const { name } = op.runtime;
  return spillwayError('ERR_BULKHEAD_FULL', `All units of ${name} are taken`, {
    dependency: name,
    operation: op.spec.operation,
    retryAfterMs: FULL_RETRY_AFTER_MS,
    sent: 'no',
  });
}

function refused(
  op: OperationCall,
  attempt: Attempt,
  refusal: SpillwayError,
  reason: 'full' | 'waited' | 'deadline',
): Outcome<never> {
  attempt.judgement = REFUSED;
  reportRefused(op, reason, false);
  return failure(refusal);
}

function reportRefused(op: OperationCall, reason: 'full' | 'waited' | 'deadline', observed: boolean): void {
  const { runtime, spec, id, clock } = op;
  if (!runtime.emit.enabled) return;
  runtime.emit.emit({
    type: 'bulkhead.refused',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at: clock.now(),
    reason,
    observed,
  });
}
