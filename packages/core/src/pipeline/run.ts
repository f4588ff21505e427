import { spillwayError } from '../call/errors.js';
import { failure, type Outcome, success } from '../call/outcome.js';
import { resolveCallDeadline } from '../config/resolve.js';
import { fallbackLoop } from '../policies/fallback.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import { finishOperation } from './finish.js';
import { FusedRun, mayFuse } from './fused.js';
import type { Linked } from './link.js';
import type { Operation } from './operation.js';
import { OperationCall, type OperationPlan } from './operation-call.js';
import { operationStarted } from './operation-events.js';

/** Runs one operation from its first event to its last. Never rejects. */
export function settleOperation(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: Operation<unknown>,
): Promise<Outcome<unknown>> {
  const planned = plan(runtime, spec);
  if (!planned.ok) return Promise.resolve(planned);
  if (linked.fused && mayFuse(runtime, spec, planned.value)) {
    return new FusedRun(runtime, linked, spec, planned.value).settle();
  }
  return runLayered(runtime, linked, spec, planned.value);
}

/** The same, but the outcome's error is thrown. */
export async function callOperation(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: Operation<unknown>,
): Promise<unknown> {
  const outcome = await settleOperation(runtime, linked, spec);
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

function runLayered(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: Operation<unknown>,
  planned: OperationPlan,
): Promise<Outcome<unknown>> {
  const op = new OperationCall(runtime, spec, planned, runtime.nextId());
  operationStarted(op);
  return finishOperation(op, linked);
}

/** A bad `deadline`, or a `scope` or tenant function that throws, is the caller's error and no rejection. */
function plan(runtime: DependencyRuntime, spec: Operation<unknown>): Outcome<OperationPlan> {
  const { name, options, clock } = runtime;
  if (runtime.phase.current === 'closed') return failure(closed(name));
  const { deadline, parent } = spec.options;
  const loop = parent && fallbackLoop(parent, name, spec.origin ?? options.baseUrl?.origin);
  if (loop !== undefined) return failure(loop);
  try {
    const deadlineMs = deadline === undefined ? options.deadlineMs : resolveCallDeadline(deadline);
    const startedAt = clock.now();
    const own = startedAt + deadlineMs;
    const workUntil = parent === undefined ? own : Math.min(own, parent.workUntil);
    return success({
      startedAt,
      workUntil,
      breaker: runtime.breakers?.of(spec),
      tenant: runtime.tenantOf(spec),
    });
  } catch (error) {
    return failure(error);
  }
}

function closed(name: string) {
  const message = `${name} was called after spillway.close(); make calls before it, or drain() first`;
  return spillwayError('ERR_CLOSED', message, { dependency: name });
}
