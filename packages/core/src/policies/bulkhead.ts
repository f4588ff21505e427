import type { Units, UnitWaiter } from '../algorithms/units.js';
import { type Attempt, UNRECORDED } from '../call/attempt.js';
import type { CancelListener } from '../call/call.js';
import { type SpillwayError, spillwayError } from '../call/errors.js';
import type { Judgement } from '../call/judgement.js';
import { failure, type Outcome } from '../call/outcome.js';
import type { ResolvedBulkhead } from '../config/resolved.js';
import { type OperationCall, type OperationFacts, operationOf } from '../pipeline/operation-call.js';
import { Timer } from '../time/clock.js';
import type { AttemptStep } from './attempt.js';
import { Detachment } from './detachment.js';
import { CANCELLED, deadlineExceeded, REFUSED } from './verdicts.js';

/** Retry-After of a full bulkhead: units come and go far within it. */
const FULL_RETRY_AFTER_MS = 1000;

/** Why an attempt got no unit. */
export interface NoUnit {
  readonly outcome: Outcome<never>;
  readonly judgement: Judgement;
}

/** Who tells a waiting operation that its caller is gone. */
interface Cancellable {
  listen(listener: CancelListener): void;
  unlisten(listener: CancelListener): void;
}

/**
 * One unit per running piece of work. It is given back when the work ends, not when its caller is answered: work
 * that ignores its abort keeps it, detached, until it ends or `detachAfter` has passed (D5).
 */
export function bulkheadLayer(next: AttemptStep): AttemptStep {
  return async (attempt) => {
    const op = operationOf(attempt);
    if (!attempt.holdsUnit) {
      const none = await takeUnit(op, attempt);
      if (none !== undefined) {
        attempt.judgement = none.judgement;
        return none.outcome;
      }
    }
    const outcome = await next(attempt);
    releaseWhenIdle(op, attempt);
    return outcome;
  };
}

/** A retry queues ahead of newcomers; after a detached attempt it tries and never waits; a probe may go one above. */
function takeUnit(op: OperationCall, attempt: Attempt): NoUnit | undefined | Promise<NoUnit | undefined> {
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
  return mayWait ? waitForUnit(op, attempt, attempt.number > 1) : refused(op, full(op), 'full');
}

/** Stands in the queue until a unit comes: undefined then, or why none came. */
export function waitForUnit(
  op: OperationFacts,
  caller: Cancellable,
  ahead: boolean,
): Promise<NoUnit | undefined> {
  return new Promise((resolve) => {
    const wait = new UnitWait(op, caller, resolve);
    if (!wait.enter(ahead)) resolve(refused(op, full(op), 'full'));
  });
}

/** A place in the queue: ends by a unit, by the wait, by the operation's time, or by cancellation. */
class UnitWait extends Timer implements CancelListener, UnitWaiter {
  prevWaiter: UnitWaiter | undefined = undefined;
  nextWaiter: UnitWaiter | undefined = undefined;
  queue: unknown = undefined;
  readonly #op: OperationFacts;
  readonly #caller: Cancellable;
  readonly #since: number;
  readonly #resolve: (none: NoUnit | undefined) => void;

  constructor(op: OperationFacts, caller: Cancellable, resolve: (none: NoUnit | undefined) => void) {
    super();
    this.#op = op;
    this.#caller = caller;
    this.#since = op.clock.now();
    this.#resolve = resolve;
  }

  /** False when the queue is full. */
  enter(ahead: boolean): boolean {
    const { runtime, clock } = this.#op;
    if (!(runtime.units as Units).enqueue(this, ahead)) return false;
    this.#caller.listen(this);
    clock.arm(this, Math.min(this.#leftMs, this.#waitMs));
    this.#reportQueued();
    return true;
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
    this.#leave();
    const op = this.#op;
    this.#resolve(
      this.#leftMs <= this.#waitMs
        ? refused(op, deadlineExceeded(op, 'no'), 'deadline')
        : refused(op, full(op), 'waited'),
    );
  }

  onCancel(reason: unknown): void {
    this.#leave();
    this.#resolve({ outcome: failure(reason), judgement: CANCELLED });
  }

  /** What was left of the operation's time when it came. */
  get #leftMs(): number {
    return this.#op.workUntil - this.#since;
  }

  get #waitMs(): number {
    return (this.#op.runtime.options.bulkhead as ResolvedBulkhead).waitMs;
  }

  #reportQueued(): void {
    const { runtime, spec, id } = this.#op;
    if (!runtime.emit.enabled) return;
    runtime.emit.emit({
      type: 'bulkhead.queued',
      dependency: runtime.name,
      operation: spec.operation,
      id,
      at: this.#since,
      queued: (runtime.units as Units).queued,
    });
  }

  #leave(): void {
    const { runtime, clock } = this.#op;
    (runtime.units as Units).remove(this);
    clock.disarm(this);
    this.#caller.unlisten(this);
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

function full(op: OperationFacts): SpillwayError {
  const { name } = op.runtime;
  return spillwayError('ERR_BULKHEAD_FULL', `All units of ${name} are taken`, {
    dependency: name,
    operation: op.spec.operation,
    retryAfterMs: FULL_RETRY_AFTER_MS,
    sent: 'no',
  });
}

function refused(op: OperationFacts, refusal: SpillwayError, reason: 'full' | 'waited' | 'deadline'): NoUnit {
  reportRefused(op, reason, false);
  return { outcome: failure(refusal), judgement: REFUSED };
}

function reportRefused(op: OperationFacts, reason: 'full' | 'waited' | 'deadline', observed: boolean): void {
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
