import { Attempt } from '../call/attempt.js';
import { failure, type Outcome, success } from '../call/outcome.js';
import { callWork, isThenable, read } from '../policies/attempt.js';
import { settleTicket } from '../policies/breaker.js';
import { releaseWhenIdle } from '../policies/bulkhead.js';
import { CANCELLED, timeUp } from '../policies/verdicts.js';
import type { Timer } from '../time/clock.js';
import type { BreakerHandle } from './breaker-registry.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import { finishOperation, valueOrThrow } from './finish.js';
import type { Linked } from './link.js';
import type { Operation } from './operation.js';
import { OperationCall, type OperationFacts } from './operation-call.js';
import {
  attemptEnded,
  attemptResent,
  attemptStarted,
  attemptWasted,
  operationStarted,
  operationSucceeded,
} from './operation-events.js';

type Resolve = (settled: unknown) => void;

/** May an operation start at once? Then nothing of it waits before its first attempt. Takes the unit if so. */
export function mayFuse(
  runtime: DependencyRuntime,
  spec: Operation<unknown>,
  breaker: BreakerHandle | undefined,
): boolean {
  if (breaker?.machine.isClosed === false) return false;
  if (spec.options.signal?.aborted === true || spec.options.parent?.cancelled === true) return false;
  return runtime.units === undefined || runtime.units.tryTake();
}

/**
 * The fused link: one object that is operation, first attempt, timer and cancel listener at once. It runs the first
 * attempt of an operation that may start right away, and ends it when all went well; whatever else comes of it is
 * handed, as it stands, to the layers, so that there is one retry loop, one fallback, one way to fail.
 */
export class FusedRun extends Attempt implements OperationFacts, Timer {
  due = 0;
  home: unknown = undefined;
  prev: Timer | undefined = undefined;
  next: Timer | undefined = undefined;
  order = 0;
  readonly runtime: DependencyRuntime;
  readonly spec: Operation<unknown>;
  readonly id: number;
  readonly breaker: BreakerHandle | undefined;
  readonly tenant: string | undefined;
  readonly #linked: Linked;
  /** Until it has ended. */
  #resolve: Resolve | undefined;
  /** Of a caller that wants the value, or the error thrown. */
  #reject: ((error: unknown) => void) | undefined;

  constructor(
    runtime: DependencyRuntime,
    linked: Linked,
    spec: Operation<unknown>,
    startedAt: number,
    workUntil: number,
    breaker: BreakerHandle | undefined,
    tenant: string | undefined,
  ) {
    const { parent, signal } = spec.options;
    super(runtime.clock, parent, workUntil, undefined);
    this.runtime = runtime;
    this.spec = spec;
    this.id = runtime.nextId();
    this.startedAt = startedAt;
    this.breaker = breaker;
    this.tenant = tenant;
    this.#linked = linked;
    if (signal !== undefined) this.follow(signal);
  }

  get attempts(): number {
    return 1;
  }

  get keepAlive(): boolean {
    return true;
  }

  get armed(): boolean {
    return this.home !== undefined;
  }

  settle(): Promise<Outcome<unknown>> {
    return new Promise((resolve) => {
      this.#resolve = resolve as Resolve;
      this.#begin();
    });
  }

  call(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#begin();
    });
  }

  /** Its time is up: the caller is answered now, whatever the work does. */
  onTimer(): void {
    const { error, judgement } = timeUp(this, this, this.timeoutMs);
    this.#end(read(this, this, failure(error), judgement));
    super.cancel(error);
  }

  override cancel(reason: unknown): void {
    super.cancel(reason);
    if (this.#resolve === undefined) return;
    this.judgement = CANCELLED;
    this.#end(failure(reason));
  }

  #begin(): void {
    const { breaker, runtime, startedAt, workUntil } = this;
    operationStarted(this);
    if (breaker !== undefined) this.ticket = breaker.machine.admit(startedAt);
    const left = workUntil - startedAt;
    this.timeoutMs = Math.min(runtime.options.attempt.timeoutMs, left);
    attemptStarted(this, this, left);
    this.clock.arm(this, this.timeoutMs, startedAt);
    this.#start();
  }

  #start(): void {
    this.workStarted();
    const result = callWork(this, this);
    if (!isThenable(result)) {
      this.#settled(result);
      return;
    }
    result.then(
      (value) => this.#settled(success(value)),
      (error) => this.#settled(failure(error)),
    );
  }

  #settled(outcome: Outcome<unknown>): void {
    if (this.#resolve === undefined) {
      attemptWasted(this, this, outcome);
      this.workEnded();
      return;
    }
    const stands = read(this, this, outcome);
    if (this.judgement.kind === 'stale' && !this.resend) {
      this.resend = true;
      attemptResent(this, this);
      this.#start();
      this.workEnded();
      return;
    }
    this.workEnded();
    this.#end(stands);
  }

  #end(outcome: Outcome<unknown>): void {
    const { breaker, runtime, judgement } = this;
    const resolve = this.#resolve as Resolve;
    this.#resolve = undefined;
    this.clock.disarm(this);
    this.endedAt = this.clock.now();
    attemptEnded(this, this);
    if (breaker !== undefined) settleTicket(this, this, breaker);
    if (runtime.units !== undefined) releaseWhenIdle(this, this);
    this.end();
    if (judgement.kind !== 'answer' || judgement.caller !== 'itself') {
      resolve(this.#handOver(outcome));
      return;
    }
    operationSucceeded(this, this.endedAt);
    if (this.#reject === undefined) resolve(outcome);
    else if (outcome.ok) resolve(outcome.value);
    else this.#reject(outcome.error);
  }

  /** The layers take over: they find the first attempt done, and decide what follows it. */
  #handOver(outcome: Outcome<unknown>): Promise<unknown> {
    const op = new OperationCall(this, { attempt: this, outcome });
    this.parent = op;
    const finished = finishOperation(op, this.#linked);
    return this.#reject === undefined ? finished : finished.then(valueOrThrow);
  }
}
