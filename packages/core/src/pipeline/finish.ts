import type { Attempt } from '../call/attempt.js';
import { isSpillwayError } from '../call/errors.js';
import { failure, type Outcome } from '../call/outcome.js';
import { mend } from '../policies/fallback.js';
import { RetryLoop } from '../policies/retry.js';
import { CANCELLED } from '../policies/verdicts.js';
import type { Linked } from './link.js';
import type { OperationCall } from './operation-call.js';
import { operationEnded } from './operation-count.js';

/** Runs an operation that has been counted in through the layers. */
export async function finishOperation(op: OperationCall, linked: Linked): Promise<Outcome<unknown>> {
  const outcome = op.cancelled ? cancelledEarly(op) : await linked.step(op);
  return ended(op, outcome);
}

/**
 * The fused way to do it, for an operation that may start: the retry loop itself is what waits, and nothing around it.
 * The frames of layers that only pass an outcome on would be most of what a waiting operation costs.
 * @param first its first attempt where there is one already, and how that has ended if it has
 */
export function finishFused(
  op: OperationCall,
  linked: Linked,
  first?: { readonly attempt: Attempt; readonly outcome: Outcome<unknown> | undefined },
): void {
  const loop = new RetryLoop(op, linked.attempt, conclude);
  if (first === undefined) loop.begin();
  else if (first.outcome === undefined) loop.make(first.attempt);
  else loop.goOn(first.attempt, first.outcome);
}

function conclude(op: OperationCall, outcome: Outcome<unknown>): void {
  const stands = mend(op, outcome);
  if (!(stands instanceof Promise)) settle(op, stands);
  else
    stands.then(
      (mended) => settle(op, mended),
      (error) => settle(op, failure(error)),
    );
}

function settle(op: OperationCall, outcome: Outcome<unknown>): void {
  const final = ended(op, outcome);
  if (!op.throws) op.resolve?.(final);
  else op.resolve?.(final.ok ? final.value : Promise.reject(final.error));
}

function ended(op: OperationCall, outcome: Outcome<unknown>): Outcome<unknown> {
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
