import { Attempt } from '../call/attempt.js';
import type { Outcome } from '../call/outcome.js';
import { type NoUnit, waitForUnit } from '../policies/bulkhead.js';
import { finishFused } from './finish.js';
import type { Linked } from './link.js';
import { OperationCall, type OperationPlan } from './operation-call.js';
import { operationStarted } from './operation-count.js';

/** Must an operation wait for a unit, and for nothing else before it? */
export function mustQueue(plan: OperationPlan): boolean {
  const { breaker, runtime, startedAt, workUntil } = plan;
  const { bulkhead } = runtime.options;
  if (bulkhead === undefined || bulkhead.mode === 'observe' || bulkhead.waitMs === 0) return false;
  if (runtime.units?.full !== true || breaker?.machine.isClosed === false) return false;
  return workUntil > startedAt && !plan.cancelled;
}

/**
 * Waits for the first unit before anything else: there are many of those that wait, and the frames of layers would be
 * most of what one costs. With its unit it passes the bulkhead's own queue; without, its first attempt is done.
 */
export function queueFirst(plan: OperationPlan, linked: Linked): Promise<Outcome<unknown>> {
  operationStarted(plan);
  return new Promise((resolve) => {
    waitForUnit(plan, plan, false).then((none) => {
      const op = new OperationCall(plan);
      op.resolve = resolve as (settled: unknown) => void;
      finishFused(op, linked, { attempt: firstAttempt(op, none), outcome: none?.outcome });
    });
  });
}

function firstAttempt(op: OperationCall, none: NoUnit | undefined): Attempt {
  const attempt = new Attempt(op.clock, op, op.workUntil, undefined);
  attempt.holdsUnit = none === undefined;
  if (none !== undefined) {
    attempt.judgement = none.judgement;
    attempt.end();
  }
  return attempt;
}
