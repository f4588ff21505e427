// Called only where somebody listens, and functions of their own for that reason: a compiler has so much room for what it
// merges into a hot function, and events that nobody hears would fill it.
import type { Attempt } from '../call/attempt.js';
import type { StopReason } from '../call/error-catalogue.js';
import type { SpillwayError } from '../call/errors.js';
import type { FaultKind, OperationOutcome } from '../telemetry/events.js';
import type { OperationFacts } from './operation-call.js';
import { OperationSubject } from './subject.js';

export function tellOperationStart(op: OperationFacts): void {
  const { runtime, spec, id, startedAt: at } = op;
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

export function tellOperationEnd(
  op: OperationFacts,
  outcome: OperationOutcome,
  at: number,
  error?: SpillwayError,
  stopped?: StopReason,
): void {
  const { runtime, spec, id, attempts } = op;
  runtime.emit.emit({
    type: 'operation.end',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at,
    outcome,
    code: error?.code,
    stopped,
    sent: error?.sent,
    attempts,
    durationMs: at - op.startedAt,
  });
}

/** An attempt begins: from here on the dependency has been asked. */
export function tellAttemptStart(op: OperationFacts, attempt: AttemptFacts, remainingMs: number): void {
  const { runtime, spec, id } = op;
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

export function tellAttemptEnd(op: OperationFacts, attempt: AttemptFacts): void {
  const { runtime, spec, id } = op;
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
export function tellAttemptResend(op: OperationFacts, attempt: AttemptFacts): void {
  const { runtime, spec, id, clock } = op;
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
export function tellFault(op: OperationFacts, attempt: AttemptFacts, fault: FaultKind): void {
  const { runtime, spec, id, clock } = op;
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
export function tellAttemptWaste(op: OperationFacts, attempt: AttemptFacts): void {
  const { runtime, spec, id, clock } = op;
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
