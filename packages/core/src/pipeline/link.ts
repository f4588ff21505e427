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
import { type OperationCall, operationOf } from './operation-call.js';
import type { Policy } from './policy.js';
import type { PlacedPolicy, Slot } from './slots.js';

export type OperationStep = (op: OperationCall) => Promise<Outcome<unknown>>;

/** A dependency's policy as running code. */
export interface Linked {
  /** The layers around the work of an operation. */
  readonly step: OperationStep;
  /** Those inside of the retry loop alone. */
  readonly attempt: AttemptStep;
  /** May operations run in the fused form? Only between standard policies. */
  readonly fused: boolean;
}

/** Turns the slots of a dependency into running code, once, when the dependency is made. */
export function link(runtime: DependencyRuntime, custom: readonly PlacedPolicy[], form?: 'layered'): Linked {
  const observes = runtime.options.breaker?.observes ?? 'attempts';
  const fused = form === undefined && custom.length === 0 && observes === 'attempts';
  return custom.length === 0 ? standardLink(runtime, fused) : linkLayered(runtime, custom, fused);
}

/** By the parts they have: standard layers keep nothing of their own, so that dependencies of one make share them. */
const STANDARD = new Map<string, Linked>();

function standardLink(runtime: DependencyRuntime, fused: boolean): Linked {
  const { breaker, bulkhead } = runtime.options;
  const parts = `${breaker?.observes} ${bulkhead !== undefined} ${fused}`;
  const known = STANDARD.get(parts);
  if (known !== undefined) return known;
  const linked = linkLayered(runtime, [], fused);
  STANDARD.set(parts, linked);
  return linked;
}

/**
 * The written form: one layer around the next, from the inside out. The breaker stands twice around the bulkhead: a
 * breaker known to be open refuses before any queueing, and one that opened meanwhile refuses after it.
 */
function linkLayered(runtime: DependencyRuntime, custom: readonly PlacedPolicy[], fused: boolean): Linked {
  const { breaker, bulkhead } = runtime.options;
  const perAttempt = breaker !== undefined && breaker.observes !== 'operations';

  let attempt = attemptPolicies(runtime, custom, 'attempt', attemptStep);
  if (perAttempt) attempt = breakerAdmit(attempt);
  attempt = attemptPolicies(runtime, custom, 'breaker', attempt);
  if (bulkhead !== undefined) attempt = bulkheadLayer(attempt);
  attempt = attemptPolicies(runtime, custom, 'bulkhead', attempt);
  if (perAttempt) attempt = breakerGuard(attempt);

  let operation = observed(runtime.options, retryLayer(attempt));
  operation = operationPolicies(runtime, custom, 'retry', operation);
  operation = deadlineLayer(operation);
  operation = operationPolicies(runtime, custom, 'deadline', operation);
  operation = fallbackLayer(operation);
  return { attempt, step: operationPolicies(runtime, custom, 'fallback', operation), fused };
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
    aroundCustom<Attempt>(runtime, policy, next, operationOf, (attempt, verdict) => {
      attempt.judgement = verdict;
    });
  return placed(custom, slot).reduceRight(wrap, step);
}

const itself = (op: OperationCall): OperationCall => op;

/** Custom policies outside the retry loop see operations. */
function operationPolicies(
  runtime: DependencyRuntime,
  custom: readonly PlacedPolicy[],
  slot: Slot,
  step: OperationStep,
): OperationStep {
  const wrap = (next: OperationStep, policy: Policy<unknown>): OperationStep =>
    aroundCustom<OperationCall>(runtime, policy, next, itself, (op, verdict) => {
      op.verdict = verdict;
    });
  return placed(custom, slot).reduceRight(wrap, step);
}
