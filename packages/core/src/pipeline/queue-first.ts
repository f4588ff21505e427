import { Attempt } from '../call/attempt.js';
import type { Outcome } from '../call/outcome.js';
import { type NoUnit, waitForUnit } from '../policies/bulkhead.js';
import { finishOperation } from './finish.js';
import type { Linked } from './link.js';
import { OperationCall, type OperationPlan } from './operation-call.js';
import { operationStarted } from './operation-events.js';

/** Must an operation wait for a unit, and for nothing else before it? */
export function mustQueue(plan: OperationPlan): boolean {
  const { breaker, runtime, startedAt, workUntil } = plan;
  const { bulkhead } = runtime.options;
  if (bulkhead === undefined || bulkhead.mode === 'observe' || bulkhead.waitMs === 0) return false;
  if (runtime.units?.full !== true || breaker?.machine.isClosed === false) return false;
  return workUntil > startedAt && !plan.cancelled;
}

/**
 * Waits for the first unit before the layers: there are many of those that wait, and their frames would be most of
 * what a waiting operation costs. With its unit it passes the layers' own queue; without, they find its attempt done.
 */
export function queueFirst(plan: OperationPlan, linked: Linked): Promise<Outcome<unknown>> {
  operationStarted(plan);
  return waitForUnit(plan, plan, false).then((none) => finishOperation(leaveQueue(plan, none), linked));
}

function leaveQueue(plan: OperationPlan, none: NoUnit | undefined): OperationCall {
  if (none === undefined) {
    const admitted = new OperationCall(plan);
    admitted.holdsUnit = true;
    return admitted;
  }
  const attempt = new Attempt(plan.clock, undefined, plan.workUntil, undefined);
  attempt.judgement = none.judgement;
  const refused = new OperationCall(plan, { attempt, outcome: none.outcome });
  attempt.parent = refused;
  return refused;
}
