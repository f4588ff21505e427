import { type SpillwayError, spillwayError } from '../call/errors.js';
import { failure, type Outcome } from '../call/outcome.js';
import { resolveCallDeadline } from '../config/resolve.js';
import { breakerOpen, reportRefusal } from '../policies/breaker.js';
import { fallbackLoop } from '../policies/fallback.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import { finishOperation, valueOrThrow } from './finish.js';
import { FusedRun, mayFuse } from './fused.js';
import type { Linked } from './link.js';
import type { Operation } from './operation.js';
import { OperationCall, OperationPlan } from './operation-call.js';
import { operationRefused, operationStarted } from './operation-events.js';

/** Runs one operation from its first event to its last. Never rejects. */
export function settleOperation(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: Operation<unknown>,
): Promise<Outcome<unknown>> {
  let ready: FusedRun | OperationPlan;
  try {
    ready = prepare(runtime, linked, spec);
  } catch (error) {
    return Promise.resolve(failure(error));
  }
  if (ready instanceof FusedRun) return ready.settle();
  const refusal = linked.fused ? refuseAtOnce(ready) : undefined;
  return refusal === undefined ? runLayered(ready, linked) : Promise.resolve(failure(refusal));
}

/** The same, but what failed is thrown. */
export function callOperation(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: Operation<unknown>,
): Promise<unknown> {
  let ready: FusedRun | OperationPlan;
  try {
    ready = prepare(runtime, linked, spec);
  } catch (error) {
    return Promise.reject(error);
  }
  if (ready instanceof FusedRun) return ready.call();
  const refusal = linked.fused ? refuseAtOnce(ready) : undefined;
  return refusal === undefined ? runLayered(ready, linked).then(valueOrThrow) : Promise.reject(refusal);
}

function runLayered(plan: OperationPlan, linked: Linked): Promise<Outcome<unknown>> {
  const op = new OperationCall(plan);
  operationStarted(op);
  return finishOperation(op, linked);
}

/** The refusal of a breaker known to be open, where nobody would mend it: most calls of an outage end here. */
function refuseAtOnce(plan: OperationPlan): SpillwayError | undefined {
  const { runtime, spec, breaker, startedAt, workUntil } = plan;
  if (breaker === undefined || breaker.machine.isClosed || breaker.mode === 'observe') return undefined;
  const { fallback, signal, parent } = spec.options;
  const mended = fallback === undefined ? runtime.options.fallback !== undefined : fallback !== false;
  if (mended || runtime.breakers?.options.waitMs !== 0 || workUntil <= startedAt) return undefined;
  if (signal?.aborted === true || parent?.cancelled === true || !breaker.machine.refusesNow(startedAt))
    return undefined;
  operationStarted(plan);
  reportRefusal(plan, breaker, startedAt, false);
  const refusal = breakerOpen(plan, breaker, startedAt);
  operationRefused(plan, refusal);
  return refusal;
}

/**
 * Finds an operation its place: the fused form where it may start at once, else a plan for the layers.
 * @throws what keeps it from starting: closed, a fallback loop, a bad `deadline`, whatever a user's key function throws
 */
function prepare(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: Operation<unknown>,
): FusedRun | OperationPlan {
  const { name, options, clock } = runtime;
  if (runtime.phase.current === 'closed') throw closed(name);
  const { deadline, parent } = spec.options;
  const loop = parent && fallbackLoop(parent, name, spec.origin ?? options.baseUrl?.origin);
  if (loop !== undefined) throw loop;
  const deadlineMs = deadline === undefined ? options.deadlineMs : resolveCallDeadline(deadline);
  const startedAt = clock.now();
  const own = startedAt + deadlineMs;
  const workUntil = parent === undefined ? own : Math.min(own, parent.workUntil);
  const breaker = runtime.breakers?.of(spec);
  const tenant = runtime.tenantOf(spec);
  if (linked.fused && workUntil > startedAt && mayFuse(runtime, spec, breaker)) {
    return new FusedRun(runtime, linked, spec, startedAt, workUntil, breaker, tenant);
  }
  return new OperationPlan(runtime, spec, startedAt, workUntil, breaker, tenant);
}

function closed(name: string) {
  const message = `${name} was called after spillway.close(); make calls before it, or drain() first`;
  return spillwayError('ERR_CLOSED', message, { dependency: name });
}
