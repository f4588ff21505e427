import { failure, type Outcome } from '../call/outcome.js';
import type { OperationCall } from '../pipeline/operation-call.js';
import { deadlineExceeded, REFUSED } from './verdicts.js';

/**
 * The operation ends by min(own deadline, the request's workUntil). Every wait inside is bounded by what is left of
 * that, so this slot needs no timer; it refuses what comes too late to start (C-058).
 */
export function deadlineLayer(
  next: (op: OperationCall) => Promise<Outcome<unknown>>,
): (op: OperationCall) => Promise<Outcome<unknown>> {
  return (op) => {
    if (op.workUntil - op.startedAt > 0) return next(op);
    op.verdict = REFUSED;
    return Promise.resolve(failure(deadlineExceeded(op, 'no')));
  };
}
