import { isSpillwayError } from '../call/errors.js';
import { failure, type Outcome } from '../call/outcome.js';
import { CANCELLED } from '../policies/verdicts.js';
import type { Linked } from './link.js';
import type { OperationCall } from './operation-call.js';
import { operationEnded } from './operation-events.js';

/** Runs what is left of an operation that has been counted in. */
export async function finishOperation(op: OperationCall, linked: Linked): Promise<Outcome<unknown>> {
  const isNew = op.first === undefined && !op.holdsUnit;
  const outcome = op.cancelled && isNew ? cancelledEarly(op) : await linked.step(op);
  operationEnded(op, outcome);
  return op.spec.options.unwrap === true ? unwrapped(outcome) : outcome;
}

function cancelledEarly(op: OperationCall): Outcome<never> {
  op.verdict = CANCELLED;
  op.stopped = 'cancelled';
  return failure(op.reason);
}

function unwrapped(outcome: Outcome<unknown>): Outcome<unknown> {
  if (outcome.ok || !isSpillwayError(outcome.error, 'ERR_UPSTREAM')) return outcome;
  return failure(outcome.error.cause ?? outcome.error);
}

export function valueOrThrow(outcome: Outcome<unknown>): unknown {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}
