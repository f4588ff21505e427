import { errorAsValue, type SpillwayError, spillwayError } from '../call/errors.js';
import { failure, type Outcome } from '../call/outcome.js';
import { resolveCallDeadline } from '../config/resolve.js';
import { breakerOpen, reportRefusal } from '../policies/breaker.js';
import { fallbackLoop } from '../policies/fallback.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import { finishFused, finishOperation, valueOrThrow } from './finish.js';
import type { FunctionOperation } from './function-operation.js';
import { FusedRun, mayFuse } from './fused.js';
import type { Linked } from './link.js';
import type { Operation } from './operation.js';
import { OperationCall, OperationPlan } from './operation-call.js';
import { operationRefused, operationStarted } from './operation-count.js';
import { mustQueue, queueFirst } from './queue-first.js';

/** Runs one operation of a transport from its first event to its last. Never rejects. */
export function runOperation(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: Operation<unknown>,
): Promise<Outcome<unknown>> {
  let plan: OperationPlan;
  try {
    plan = planned(runtime, spec);
  } catch (error) {
    return Promise.resolve(failure(error));
  }
  // a transport throws what it is handed
  return settlePlan(plan, linked, spillwayError);
}

/** The same for a function. */
export function settleFunction(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: FunctionOperation<unknown>,
): Promise<Outcome<unknown>> {
  let ready: FusedRun | OperationPlan;
  try {
    ready = prepare(runtime, linked, spec);
  } catch (error) {
    return Promise.resolve(failure(error));
  }
  return ready instanceof FusedRun ? ready.settle() : settlePlan(ready, linked, errorAsValue);
}

/** The same, but what failed is thrown. */
export function callFunction(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: FunctionOperation<unknown>,
): Promise<unknown> {
  let ready: FusedRun | OperationPlan;
  try {
    ready = prepare(runtime, linked, spec);
  } catch (error) {
    return Promise.reject(error);
  }
  if (ready instanceof FusedRun) return ready.call();
  const refusal = refuseAtOnce(ready, linked, spillwayError);
  return refusal === undefined ? runLayered(ready, linked).then(valueOrThrow) : rejectedSoon(refusal);
}

function settlePlan(
  plan: OperationPlan,
  linked: Linked,
  make: typeof spillwayError,
): Promise<Outcome<unknown>> {
  const refusal = refuseAtOnce(plan, linked, make);
  return refusal === undefined ? runLayered(plan, linked) : Promise.resolve(failure(refusal));
}

function runLayered(plan: OperationPlan, linked: Linked): Promise<Outcome<unknown>> {
  if (linked.fused && mustQueue(plan)) return queueFirst(plan, linked);
  const op = new OperationCall(plan);
  operationStarted(op);
  if (!linked.fused || plan.cancelled || plan.workUntil <= plan.startedAt) return finishOperation(op, linked);
  return new Promise((resolve) => {
    op.resolve = resolve as (settled: unknown) => void;
    finishFused(op, linked);
  });
}

/**
 * Rejects in the next microtask: by then whoever called has its handler on the promise. One that is rejected before it
 * has a handler costs several times as much, because Node begins to watch it.
 */
function rejectedSoon(error: unknown): Promise<never> {
  return new Promise((_resolve, reject) => {
    queueMicrotask(() => reject(error));
  });
}

/** The refusal of a breaker known to be open, where nobody would mend it: most calls of an outage end here. */
function refuseAtOnce(
  plan: OperationPlan,
  linked: Linked,
  make: typeof spillwayError,
): SpillwayError | undefined {
  const { runtime, spec, breaker, startedAt, workUntil } = plan;
  if (!linked.fused || breaker === undefined || breaker.machine.isClosed || breaker.mode === 'observe')
    return undefined;
  const { fallback } = spec.options;
  const mended = fallback === undefined ? runtime.options.fallback !== undefined : fallback !== false;
  if (mended || runtime.breakers?.options.waitMs !== 0 || workUntil <= startedAt) return undefined;
  if (plan.cancelled) return undefined;
  const retryAfterMs = breaker.machine.retryAfterMs(startedAt);
  if (retryAfterMs <= 0) return undefined;
  operationStarted(plan);
  reportRefusal(plan, breaker, startedAt, false);
  const refusal = breakerOpen(plan, retryAfterMs, make);
  operationRefused(plan, refusal);
  return refusal;
}

/** Finds a function its place: the fused form where it may start at once, else a plan for the layers. */
function prepare(
  runtime: DependencyRuntime,
  linked: Linked,
  spec: FunctionOperation<unknown>,
): FusedRun | OperationPlan {
  mayStart(runtime, spec);
  const startedAt = runtime.clock.now();
  const limitMs = limitOf(runtime, spec, startedAt);
  const breaker = runtime.breakers?.of(spec);
  const tenant = runtime.tenantOf(spec);
  if (linked.fused && limitMs > 0 && mayFuse(runtime, spec, breaker)) {
    return new FusedRun(runtime, linked, spec, startedAt, limitMs, breaker, tenant);
  }
  return new OperationPlan(runtime, spec, startedAt, startedAt + limitMs, breaker, tenant);
}

function planned(runtime: DependencyRuntime, spec: Operation<unknown>): OperationPlan {
  mayStart(runtime, spec);
  const startedAt = runtime.clock.now();
  const workUntil = startedAt + limitOf(runtime, spec, startedAt);
  return new OperationPlan(
    runtime,
    spec,
    startedAt,
    workUntil,
    runtime.breakers?.of(spec),
    runtime.tenantOf(spec),
  );
}

/** @throws SpillwayError when the spillway is closed, or a fallback calls whom it stands in for */
function mayStart({ name, options, phase }: DependencyRuntime, spec: Operation<unknown>): void {
  if (phase.current === 'closed') throw closed(name);
  const { parent } = spec.options;
  if (parent === undefined) return;
  const loop = fallbackLoop(parent, name, spec.origin ?? options.baseUrl?.origin);
  if (loop !== undefined) throw loop;
}

/** The time of an operation that starts at `now`: its own deadline, further cut by its parent's. @throws ERR_CONFIG */
function limitOf({ options }: DependencyRuntime, spec: Operation<unknown>, now: number): number {
  const { deadline, parent } = spec.options;
  const own = deadline === undefined ? options.deadlineMs : resolveCallDeadline(deadline);
  return parent === undefined ? own : Math.min(own, parent.workUntil - now);
}

function closed(name: string) {
  const message = `${name} was called after spillway.close(); make calls before it, or drain() first`;
  return spillwayError('ERR_CLOSED', message, { dependency: name });
}
