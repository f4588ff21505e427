import { isRefusal, isSpillwayError, type SpillwayError } from '../call/errors.js';
import type { Outcome } from '../call/outcome.js';
import type { OperationOutcome } from '../telemetry/events.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import { noteFailure, type OperationCall, type OperationFacts } from './operation-call.js';
import { tellOperationEnd, tellOperationStart } from './operation-events.js';

/** Counts an operation in, before anything else of it happens. */
export function operationStarted(op: OperationFacts): void {
  const { runtime } = op;
  runtime.inFlight++;
  if (runtime.budget !== undefined) runtime.budget.operationStarted(op.startedAt, op.tenant);
  if (runtime.emit.enabled) tellOperationStart(op);
}

/** Counts it out, after everything else of it has happened. */
export function operationEnded(op: OperationCall, outcome: Outcome<unknown>): void {
  const { runtime, attempts } = op;
  op.end();
  const seen = outcomeOf(op, outcome);
  countOut(runtime, op.tenant);
  runtime.totals[seen]++;
  const error = isSpillwayError(outcome.error) ? outcome.error : undefined;
  if (error !== undefined && seen !== 'cancelled') {
    noteFailure(op.parent, error, attempts, op.verdict.shouldRetry === false);
  }
  if (runtime.emit.enabled) tellOperationEnd(op, seen, runtime.clock.now(), error, op.stopped);
}

/** The same for an operation that was refused before anything of it waited. */
export function operationRefused(op: OperationFacts, error: SpillwayError): void {
  const { runtime, spec, startedAt } = op;
  countOut(runtime, op.tenant);
  runtime.totals.refused++;
  if (spec.options.parent !== undefined) noteFailure(spec.options.parent, error, 0, false);
  if (runtime.emit.enabled) tellOperationEnd(op, 'refused', startedAt, error);
}

/** The same for an operation that one good attempt ended, at `at`. */
export function operationSucceeded(op: OperationFacts, at: number): void {
  const { runtime } = op;
  countOut(runtime, op.tenant);
  runtime.totals.success++;
  if (runtime.emit.enabled) tellOperationEnd(op, 'success', at);
}

/** All but the total, which callers count by its name where they know it: a computed one makes every such write slow. */
function countOut(runtime: DependencyRuntime, tenant: string | undefined): void {
  runtime.inFlight--;
  if (runtime.budget !== undefined) runtime.budget.operationEnded(tenant);
}

/** How an operation counts: what its user saw. */
function outcomeOf(op: OperationCall, outcome: Outcome<unknown>): OperationOutcome {
  if (op.degraded) return 'degraded';
  if (op.verdict.kind === 'cancelled') return 'cancelled';
  if (outcome.ok || op.verdict.kind === 'answer' || op.verdict.kind === 'in-progress') return 'success';
  if (op.attempts === 0 && isRefusal(outcome.error)) return 'refused';
  return isSpillwayError(outcome.error, 'ERR_CANCELLED') ? 'cancelled' : 'failed';
}
