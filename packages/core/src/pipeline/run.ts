import { spillwayError } from '../call/errors.js';
import { failure, type Outcome } from '../call/outcome.js';
import { resolveCallDeadline } from '../config/resolve.js';
import { fallbackLoop } from '../policies/fallback.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import { finishOperation, valueOrThrow } from './finish.js';
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
  let planned: OperationPlan;
  try {
    planned = plan(runtime, spec);
  } catch (error) {
    return Promise.resolve(failure(error));
  }
  if (linked.fused && mayFuse(runtime, spec, planned))
    return new FusedRun(runtime, linked, spec, planned).settle();
  return runLayered(runtime, linked, spec, planned);
}

/** The same, but what failed is thrown. */
export function callOperation(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: Operation<unknown>,
): Promise<unknown> {
  let planned: OperationPlan;
  try {
    planned = plan(runtime, spec);
  } catch (error) {
    return Promise.reject(error);
  }
  if (linked.fused && mayFuse(runtime, spec, planned))
    return new FusedRun(runtime, linked, spec, planned).call();
  return runLayered(runtime, linked, spec, planned).then(valueOrThrow);
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

/** @throws what keeps it from starting: closed, a fallback loop, a bad `deadline`, whatever a user's key function throws */
function plan(runtime: DependencyRuntime, spec: Operation<unknown>): OperationPlan {
  const { name, options, clock } = runtime;
  if (runtime.phase.current === 'closed') throw closed(name);
  const { deadline, parent } = spec.options;
  const loop = parent && fallbackLoop(parent, name, spec.origin ?? options.baseUrl?.origin);
  if (loop !== undefined) throw loop;
  const deadlineMs = deadline === undefined ? options.deadlineMs : resolveCallDeadline(deadline);
  const startedAt = clock.now();
  const own = startedAt + deadlineMs;
  const workUntil = parent === undefined ? own : Math.min(own, parent.workUntil);
  return { startedAt, workUntil, breaker: runtime.breakers?.of(spec), tenant: runtime.tenantOf(spec) };
}

function closed(name: string) {
  const message = `${name} was called after spillway.close(); make calls before it, or drain() first`;
  return spillwayError('ERR_CLOSED', message, { dependency: name });
}
