import { isSpillwayError, spillwayError } from '../call/errors.js';
import { failure, type Outcome, success } from '../call/outcome.js';
import { resolveCallDeadline } from '../config/resolve.js';
import { fallbackLoop } from '../policies/fallback.js';
import { CANCELLED } from '../policies/verdicts.js';
import { type DependencyRuntime, outcomeOf } from './dependency-runtime.js';
import type { OperationStep } from './link.js';
import type { Operation } from './operation.js';
import { OperationCall } from './operation-call.js';

/** Runs one operation from its first event to its last. Never rejects. */
export async function runOperation<T>(
  runtime: DependencyRuntime,
  step: OperationStep,
  spec: Operation<T>,
): Promise<Outcome<T | unknown>> {
  const { name, options } = runtime;
  if (runtime.phase.current === 'closed') return failure(closed(name));
  const loop = fallbackLoop(spec.options.parent, name, spec.origin ?? options.baseUrl?.origin);
  if (loop !== undefined) return failure(loop);
  const made = makeOperation(runtime, spec as Operation<unknown>);
  if (!made.ok) return made;
  const op = made.value;
  started(op);
  const outcome = op.cancelled ? cancelledEarly(op) : await step(op);
  ended(op, outcome);
  return op.spec.options.unwrap === true ? unwrapped(outcome) : outcome;
}

/** A bad `deadline`, or a `scope` or tenant function that throws, is the caller's error and no rejection. */
function makeOperation(runtime: DependencyRuntime, spec: Operation<unknown>): Outcome<OperationCall> {
  try {
    const { deadline, signal } = spec.options;
    const deadlineMs = deadline === undefined ? runtime.options.deadlineMs : resolveCallDeadline(deadline);
    const op = new OperationCall(runtime, spec, runtime.clock.now(), deadlineMs);
    if (signal !== undefined) op.follow(signal);
    return success(op);
  } catch (error) {
    return failure(error);
  }
}

function cancelledEarly(op: OperationCall): Outcome<never> {
  op.verdict = CANCELLED;
  op.stopped = 'cancelled';
  return failure(op.reason);
}

function started(op: OperationCall): void {
  const { runtime, spec, id, startedAt: at } = op;
  runtime.inFlight++;
  runtime.budget?.operationStarted(at, op.tenant);
  if (!runtime.emit.enabled) return;
  const base = { dependency: runtime.name, operation: spec.operation, id, at };
  runtime.emit.emit({ type: 'operation.start', ...base, deadlineMs: op.workUntil - at });
}

function ended(op: OperationCall, outcome: Outcome<unknown>): void {
  const { runtime, spec, id } = op;
  op.end();
  runtime.inFlight--;
  runtime.budget?.operationEnded(op.tenant);
  const seen = outcomeOf(op, outcome);
  runtime.totals[seen]++;
  const error = isSpillwayError(outcome.error) ? outcome.error : undefined;
  if (error !== undefined && seen !== 'cancelled') op.noteFailure(error);
  if (!runtime.emit.enabled) return;
  const at = runtime.clock.now();
  const base = { dependency: runtime.name, operation: spec.operation, id, at };
  const { code, sent } = error ?? {};
  const durationMs = at - op.startedAt;
  const { attempts, stopped } = op;
  runtime.emit.emit({
    type: 'operation.end',
    ...base,
    outcome: seen,
    code,
    stopped,
    sent,
    attempts,
    durationMs,
  });
}

function unwrapped(outcome: Outcome<unknown>): Outcome<unknown> {
  if (outcome.ok || !isSpillwayError(outcome.error, 'ERR_UPSTREAM')) return outcome;
  return failure(outcome.error.cause ?? outcome.error);
}

function closed(name: string) {
  return spillwayError(
    'ERR_CLOSED',
    `${name} was called after spillway.close(); make calls before it, or drain() first`,
    {
      dependency: name,
    },
  );
}
