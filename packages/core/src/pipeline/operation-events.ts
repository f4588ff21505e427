// Events are written out as literals: a spread behind another key costs more than the call it reports.
import type { Attempt } from '../call/attempt.js';
import { isRefusal, isSpillwayError, type SpillwayError } from '../call/errors.js';
import type { Outcome } from '../call/outcome.js';
import type { FaultKind, OperationOutcome } from '../telemetry/events.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import { noteFailure, type OperationCall, type OperationFacts } from './operation-call.js';
import { OperationSubject } from './subject.js';

/** Counts an operation in, before anything else of it happens. */
export function operationStarted(op: OperationFacts): void {
  const { runtime, spec, id, startedAt: at, tenant } = op;
  runtime.inFlight++;
  runtime.budget?.operationStarted(at, tenant);
  if (!runtime.emit.enabled) return;
  runtime.emit.emit({
    type: 'operation.start',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at,
    deadlineMs: op.workUntil - at,
    subject: new OperationSubject(op),
  });
}

/** Counts it out, after everything else of it has happened. */
export function operationEnded(op: OperationCall, outcome: Outcome<unknown>): void {
  const { runtime, spec, id, attempts, stopped } = op;
  op.end();
  const seen = outcomeOf(op, outcome);
  countOut(runtime, seen, op.tenant);
  const error = isSpillwayError(outcome.error) ? outcome.error : undefined;
  if (error !== undefined && seen !== 'cancelled') {
    noteFailure(op.parent, error, attempts, op.verdict.shouldRetry === false);
  }
  if (!runtime.emit.enabled) return;
  const at = runtime.clock.now();
  const { code, sent } = error ?? {};
  const durationMs = at - op.startedAt;
  runtime.emit.emit({
    type: 'operation.end',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at,
    outcome: seen,
    code,
    stopped,
    sent,
    attempts,
    durationMs,
  });
}

/** The same for an operation that was refused before anything of it waited. */
export function operationRefused(op: OperationFacts, error: SpillwayError): void {
  const { runtime, spec, id, startedAt: at } = op;
  countOut(runtime, 'refused', op.tenant);
  noteFailure(spec.options.parent, error, 0, false);
  if (!runtime.emit.enabled) return;
  const { code, sent } = error;
  runtime.emit.emit({
    type: 'operation.end',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at,
    outcome: 'refused',
    code,
    stopped: undefined,
    sent,
    attempts: 0,
    durationMs: 0,
  });
}

/** The same for an operation that one good attempt ended, at `at`. */
export function operationSucceeded(op: OperationFacts, at: number): void {
  const { runtime, spec, id, attempts } = op;
  countOut(runtime, 'success', op.tenant);
  if (!runtime.emit.enabled) return;
  const durationMs = at - op.startedAt;
  runtime.emit.emit({
    type: 'operation.end',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at,
    outcome: 'success',
    code: undefined,
    stopped: undefined,
    sent: undefined,
    attempts,
    durationMs,
  });
}

function countOut(
  runtime: DependencyRuntime,
  seen: keyof DependencyRuntime['totals'],
  tenant: string | undefined,
): void {
  runtime.inFlight--;
  runtime.budget?.operationEnded(tenant);
  runtime.totals[seen]++;
}

/** An attempt begins: from here on the dependency has been asked. */
export function attemptStarted(op: OperationFacts, attempt: AttemptFacts, remainingMs: number): void {
  const { runtime, spec, id } = op;
  if (!runtime.emit.enabled) return;
  const { number, startedAt: at, timeoutMs } = attempt;
  runtime.emit.emit({
    type: 'attempt.start',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at,
    attempt: number,
    timeoutMs,
    remainingMs,
  });
}

export function attemptEnded(op: OperationFacts, attempt: AttemptFacts): void {
  const { runtime, spec, id } = op;
  if (!runtime.emit.enabled) return;
  const { number, startedAt, endedAt: at } = attempt;
  const { kind, breaker: result, status, sent } = attempt.judgement;
  runtime.emit.emit({
    type: 'attempt.end',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at,
    attempt: number,
    kind,
    result,
    status,
    sent,
    durationMs: at - startedAt,
  });
}

/** The same number once more, on a fresh connection. */
export function attemptResent(op: OperationFacts, attempt: AttemptFacts): void {
  const { runtime, spec, id, clock } = op;
  if (!runtime.emit.enabled) return;
  runtime.emit.emit({
    type: 'attempt.resend',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at: clock.now(),
    attempt: attempt.number,
  });
}

/** An injected fault befalls an attempt. */
export function faultInjected(op: OperationFacts, attempt: AttemptFacts, fault: FaultKind): void {
  const { runtime, spec, id, clock } = op;
  if (!runtime.emit.enabled) return;
  runtime.emit.emit({
    type: 'fault.injected',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at: clock.now(),
    attempt: attempt.number,
    fault,
  });
}

/** Work that came back after its attempt had been given up. */
export function attemptWasted(op: OperationFacts, attempt: AttemptFacts, outcome: Outcome<unknown>): void {
  const { runtime, spec, id, clock } = op;
  if (outcome.ok) spec.discard?.(outcome.value);
  if (!runtime.emit.enabled) return;
  const at = clock.now();
  runtime.emit.emit({
    type: 'attempt.wasted',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at,
    attempt: attempt.number,
    lateMs: at - attempt.endedAt,
  });
}

type AttemptFacts = Pick<Attempt, 'number' | 'startedAt' | 'endedAt' | 'timeoutMs' | 'judgement'>;

/** How an operation counts: what its user saw. */
function outcomeOf(op: OperationCall, outcome: Outcome<unknown>): OperationOutcome {
  if (op.degraded) return 'degraded';
  if (op.verdict.kind === 'cancelled') return 'cancelled';
  if (outcome.ok || op.verdict.kind === 'answer' || op.verdict.kind === 'in-progress') return 'success';
  if (op.attempts === 0 && isRefusal(outcome.error)) return 'refused';
  return isSpillwayError(outcome.error, 'ERR_CANCELLED') ? 'cancelled' : 'failed';
}
