import type { Attempt } from '../call/attempt.js';
import { Call } from '../call/call.js';
import type { StopReason } from '../call/error-catalogue.js';
import type { SpillwayError } from '../call/errors.js';
import { type CancelListener, followSignal, unfollowSignal } from '../call/followers.js';
import { GOOD, type Judgement } from '../call/judgement.js';
import { requestOf } from '../call/request-call.js';
import type { Clock } from '../time/clock.js';
import type { BreakerHandle } from './breaker-registry.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import type { Operation } from './operation.js';

/** What policies read of the operation they work for. */
export interface OperationFacts {
  readonly clock: Clock;
  readonly runtime: DependencyRuntime;
  readonly spec: Operation<unknown>;
  readonly id: number;
  /** When it started. */
  readonly startedAt: number;
  readonly workUntil: number;
  /** Breaker of this operation's scope. */
  readonly breaker: BreakerHandle | undefined;
  /** Tenant of the retry budget. */
  readonly tenant: string | undefined;
  /** Attempts that reached the transport. */
  readonly attempts: number;
}

/** An operation that has its place but has not started: no attempt was made, nothing waits. */
export class OperationPlan implements OperationFacts {
  readonly runtime: DependencyRuntime;
  readonly spec: Operation<unknown>;
  readonly id: number;
  readonly startedAt: number;
  readonly workUntil: number;
  readonly breaker: BreakerHandle | undefined;
  readonly tenant: string | undefined;

  constructor(
    runtime: DependencyRuntime,
    spec: Operation<unknown>,
    startedAt: number,
    workUntil: number,
    breaker: BreakerHandle | undefined,
    tenant: string | undefined,
  ) {
    this.runtime = runtime;
    this.spec = spec;
    this.startedAt = startedAt;
    this.workUntil = workUntil;
    this.breaker = breaker;
    this.tenant = tenant;
    this.id = runtime.nextId();
  }

  get clock(): Clock {
    return this.runtime.clock;
  }

  get attempts(): number {
    return 0;
  }

  /** Has its caller given up already? */
  get cancelled(): boolean {
    const { parent, signal } = this.spec.options;
    return signal?.aborted === true || parent?.cancelled === true;
  }

  /** `listener` hears when its caller gives up; it is no call yet that could tell. */
  listen(listener: CancelListener): void {
    const { parent, signal } = this.spec.options;
    if (parent !== undefined) parent.listen(listener);
    if (signal !== undefined) followSignal(signal, listener);
  }

  unlisten(listener: CancelListener): void {
    const { parent, signal } = this.spec.options;
    if (parent !== undefined) parent.unlisten(listener);
    if (signal !== undefined) unfollowSignal(signal, listener);
  }
}

/** One operation on a dependency while it runs: what users wait for, made of attempts. */
export class OperationCall extends Call implements OperationFacts {
  readonly runtime: DependencyRuntime;
  readonly spec: Operation<unknown>;
  readonly id: number;
  readonly startedAt: number;
  readonly breaker: BreakerHandle | undefined;
  readonly tenant: string | undefined;
  attempts = 0;
  /** How the operation ended, by the outcome table; decides the fallback. */
  verdict: Judgement = GOOD;
  stopped: StopReason | undefined;
  /** Did a fallback answer? */
  degraded = false;
  /** Answers its caller, where no layer does. */
  resolve: ((settled: unknown) => void) | undefined;
  /** Does that caller want the value, or the error thrown? */
  throws = false;

  constructor(plan: OperationFacts) {
    const { runtime, spec } = plan;
    super(runtime.clock, spec.options.parent, plan.workUntil);
    this.runtime = runtime;
    this.spec = spec;
    this.id = plan.id;
    this.startedAt = plan.startedAt;
    this.breaker = plan.breaker;
    this.tenant = plan.tenant;
    this.attempts = plan.attempts;
    if (spec.options.signal !== undefined) this.follow(spec.options.signal);
  }
}

/**
 * Leaves an unmended failure with the request it was for: it decides the X-Should-Retry and Retry-After of the
 * answer.
 */
export function noteFailure(
  parent: Call | undefined,
  error: SpillwayError,
  attempts: number,
  told: boolean,
): void {
  const request = requestOf(parent);
  if (request === undefined) return;
  request.failure = error;
  request.attemptsMade = Math.max(request.attemptsMade, attempts);
  if (told) request.toldNotToRetry = true;
}

/** The operation that an attempt belongs to: the retry slot makes attempts as children of operations, nobody else. */
export function operationOf(attempt: Attempt): OperationCall {
  return attempt.parent as OperationCall;
}
