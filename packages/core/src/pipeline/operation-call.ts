import type { Attempt } from '../call/attempt.js';
import { Call } from '../call/call.js';
import type { SpillwayError, StopReason } from '../call/errors.js';
import { GOOD, type Judgement } from '../call/judgement.js';
import { RequestCall } from '../call/request-call.js';
import type { BreakerHandle } from './breaker-registry.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import type { Operation } from './operation.js';

/** One operation on a dependency while it runs: what users wait for, made of attempts. */
export class OperationCall extends Call {
  readonly runtime: DependencyRuntime;
  readonly spec: Operation<unknown>;
  readonly id: number;
  readonly startedAt: number;
  /** Breaker of this operation's scope. */
  readonly breaker: BreakerHandle | undefined;
  /** Tenant of the retry budget. */
  readonly tenant: string | undefined;
  /** Attempts that reached the transport. */
  attempts = 0;
  /** How the operation ended, by the outcome table; decides the fallback. */
  verdict: Judgement = GOOD;
  stopped: StopReason | undefined;
  /** Did a fallback answer? */
  degraded = false;

  constructor(runtime: DependencyRuntime, spec: Operation<unknown>, now: number, deadlineMs: number) {
    const parent = spec.options.parent;
    const workUntil = now + deadlineMs;
    const bound = parent === undefined ? workUntil : Math.min(workUntil, parent.workUntil);
    super(runtime.clock, parent, parent?.answerBy ?? Number.POSITIVE_INFINITY, bound);
    this.runtime = runtime;
    this.spec = spec;
    this.id = runtime.nextId();
    this.startedAt = now;
    this.breaker = runtime.breakers?.of(spec);
    this.tenant = runtime.tenantOf(spec);
  }

  /** The inbound request this operation works for, through fallbacks too. */
  get request(): RequestCall | undefined {
    let call = this.parent;
    while (call !== undefined && !(call instanceof RequestCall)) call = call.parent;
    return call;
  }

  /** An unmended failure, for the answer's X-Should-Retry and Retry-After. */
  noteFailure(error: SpillwayError): void {
    const request = this.request;
    if (request === undefined) return;
    request.failure = error;
    request.attemptsMade = Math.max(request.attemptsMade, this.attempts);
    if (this.verdict.shouldRetry === false) request.toldNotToRetry = true;
  }
}

/** The operation that an attempt belongs to: the retry slot makes attempts as children of operations, nobody else. */
export function operationOf(attempt: Attempt): OperationCall {
  return attempt.parent as OperationCall;
}
