import type { Attempt } from '../call/attempt.js';
import type { Outcome } from '../call/outcome.js';
import type { ResolvedDependency } from '../config/resolved.js';
import { type AttemptStep, attemptStep } from '../policies/attempt.js';
import { breakerAdmit, breakerGuard, observeOperation, recordOperation } from '../policies/breaker.js';
import { bulkheadLayer } from '../policies/bulkhead.js';
import { deadlineLayer } from '../policies/deadline.js';
import { fallbackLayer } from '../policies/fallback.js';
import { retryLayer } from '../policies/retry.js';
import { aroundCustom } from './custom.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import type { OperationCall } from './operation-call.js';
import type { Policy } from './policy.js';
import type { PlacedPolicy, Slot } from './slots.js';

export type OperationStep = (op: OperationCall) => Promise<Outcome<unknown>>;

/** A dependency's policy as running code. */
export interface Linked {
  /** The layers around the work of an operation. */
  readonly step: OperationStep;
  /** May the first attempt run in the fused form? Only between standard policies. */
  readonly fused: boolean;
}

/** Turns the slots of a dependency into running code, once, when the dependency is made. */
export function link(runtime: DependencyRuntime, custom: readonly PlacedPolicy[], form?: 'layered'): Linked {
  const observes = runtime.options.breaker?.observes ?? 'attempts';
  const fused = form === undefined && custom.length === 0 && observes === 'attempts';
  const step = custom.length === 0 ? standardStep(runtime) : linkLayered(runtime, custom);
  return { step, fused };
}

/** By the parts they have: standard layers keep nothing of their own, so that dependencies of one make share them. */
const STANDARD = new Map<string, OperationStep>();

function standardStep(runtime: DependencyRuntime): OperationStep {
  const { breaker, bulkhead } = runtime.options;
  const parts = `${breaker?.observes} ${bulkhead !== undefined}`;
  const known = STANDARD.get(parts);
  if (known !== undefined) return known;
  const step = linkLayered(runtime, []);
  STANDARD.set(parts, step);
  return step;
}

/**
 * The written form: one layer around the next, from the inside out. The breaker stands twice around the bulkhead: a
 * breaker known to be open refuses before any queueing, and one that opened meanwhile refuses after it.
 */
function linkLayered(runtime: DependencyRuntime, custom: readonly PlacedPolicy[]): OperationStep {
  const { breaker, bulkhead } = runtime.options;
  const perAttempt = breaker !== undefined && breaker.observes !== 'operations';

  let step = attemptPolicies(runtime, custom, 'attempt', attemptStep);
  if (perAttempt) step = breakerAdmit(step);
  step = attemptPolicies(runtime, custom, 'breaker', step);
  if (bulkhead !== undefined) step = bulkheadLayer(step);
  step = attemptPolicies(runtime, custom, 'bulkhead', step);
  if (perAttempt) step = breakerGuard(step);

  let operation = observed(runtime.options, retryLayer(step));
  operation = operationPolicies(runtime, custom, 'retry', operation);
  operation = deadlineLayer(operation);
  operation = operationPolicies(runtime, custom, 'deadline', operation);
  operation = fallbackLayer(operation);
  return operationPolicies(runtime, custom, 'fallback', operation);
}

/** The breaker's place around the retry loop, where it observes operations. */
function observed({ breaker }: ResolvedDependency, next: OperationStep): OperationStep {
  const observes = breaker?.observes ?? 'attempts';
  if (observes === 'attempts') return next;
  const around = observes === 'operations' ? observeOperation : recordOperation;
  return (op) => around(op, next);
}

function placed(custom: readonly PlacedPolicy[], slot: Slot): readonly Policy<unknown>[] {
  return custom.filter(({ before }) => before === slot).map(({ policy }) => policy);
}

/** Custom policies inside the retry loop see attempts. */
function attemptPolicies(
  runtime: DependencyRuntime,
  custom: readonly PlacedPolicy[],
  slot: Slot,
  step: AttemptStep,
): AttemptStep {
  const wrap = (next: AttemptStep, policy: Policy<unknown>): AttemptStep =>
    aroundCustom<Attempt>(runtime, policy, next, (attempt, verdict) => {
      attempt.judgement = verdict;
    });
  return placed(custom, slot).reduceRight(wrap, step);
}

/** Custom policies outside the retry loop see operations. */
function operationPolicies(
  runtime: DependencyRuntime,
  custom: readonly PlacedPolicy[],
  slot: Slot,
  step: OperationStep,
): OperationStep {
  const wrap = (next: OperationStep, policy: Policy<unknown>): OperationStep =>
    aroundCustom<OperationCall>(runtime, policy, next, (op, verdict) => {
      op.verdict = verdict;
    });
  return placed(custom, slot).reduceRight(wrap, step);
}
