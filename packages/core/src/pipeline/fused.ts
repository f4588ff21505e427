import { Attempt, type WatchedAttempt } from '../call/attempt.js';
import type { CancelListener } from '../call/call.js';
import { followSignal, unfollowSignal } from '../call/followers.js';
import { GOOD, type Judgement } from '../call/judgement.js';
import { failure, type Outcome, success } from '../call/outcome.js';
import { isThenable } from '../call/thenable.js';
import { callWork, cameLate, inOwnContext, read } from '../policies/attempt.js';
import { settleTicket } from '../policies/breaker.js';
import { releaseWhenIdle } from '../policies/bulkhead.js';
import { surrounded } from '../policies/surrounded-work.js';
import { CANCELLED, timeUp } from '../policies/verdicts.js';
import type { Clock, Timer } from '../time/clock.js';
import type { BreakerHandle } from './breaker-registry.js';
import type { DependencyRuntime } from './dependency-runtime.js';
import { finishFused } from './finish.js';
import { type FunctionOperation, isResponse } from './function-operation.js';
import type { Linked } from './link.js';
import { OperationCall, type OperationFacts } from './operation-call.js';
import { operationStarted, operationSucceeded } from './operation-count.js';
import { tellAttemptEnd, tellAttemptStart } from './operation-events.js';

type Resolve = (settled: unknown) => void;

/**
 * May an operation start at once? Then nothing of it waits before its first attempt. Takes the unit if so. Injected
 * faults befall attempts in full.
 */
export function mayFuse(
  runtime: DependencyRuntime,
  { options: { signal, parent } }: FunctionOperation<unknown>,
  breaker: BreakerHandle | undefined,
): boolean {
  if (breaker?.machine.isClosed === false || runtime.faults !== undefined) return false;
  if (signal?.aborted === true || parent?.cancelled === true) return false;
  return runtime.units === undefined || runtime.units.tryTake();
}

/**
 * The fused link: one small object that is operation, first attempt, timer and cancel listener of a guarded function
 * at once. It runs the first attempt of an operation that may start right away, and ends it when all went well.
 * Whatever else comes of it becomes an attempt like any other and is handed to the retry loop, so that there is one
 * loop, one fallback, one way to fail.
 *
 * What is its own is `private` and not `#`: those are written by a key that is looked up, which tells where there are as
 * many as here.
 */
export class FusedRun implements OperationFacts, WatchedAttempt, Timer, CancelListener {
  due = 0;
  home: unknown = undefined;
  prev: Timer | undefined = undefined;
  next: Timer | undefined = undefined;
  order = 0;
  readonly runtime: DependencyRuntime;
  readonly spec: FunctionOperation<unknown>;
  readonly id: number;
  readonly startedAt: number;
  /** Time it has from there: a whole number for most, which costs no allocation. */
  private readonly limitMs: number;
  private readonly linked: Linked;
  readonly breaker: BreakerHandle | undefined;
  readonly tenant: string | undefined;
  private ticket = 0;
  /** Until it has ended. */
  private resolve: Resolve | undefined = undefined;
  /** Of a caller that wants the value, or the error thrown. */
  private reject: Resolve | undefined = undefined;
  /** What the work aborts by, once it asks. */
  private controller: AbortController | undefined = undefined;
  /** Or who hears of it without a signal. */
  private listener: CancelListener | undefined = undefined;
  /** Its attempt in full, once anything but success has come of it. */
  private attempt: Attempt | undefined = undefined;

  constructor(
    runtime: DependencyRuntime,
    linked: Linked,
    spec: FunctionOperation<unknown>,
    startedAt: number,
    limitMs: number,
    breaker: BreakerHandle | undefined,
    tenant: string | undefined,
  ) {
    this.runtime = runtime;
    this.linked = linked;
    this.spec = spec;
    this.id = runtime.nextId();
    this.startedAt = startedAt;
    this.limitMs = limitMs;
    this.breaker = breaker;
    this.tenant = tenant;
  }

  get clock(): Clock {
    return this.runtime.clock;
  }

  get workUntil(): number {
    return this.startedAt + this.limitMs;
  }

  get number(): number {
    return 1;
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

  get judgement(): Judgement {
    return GOOD;
  }

  get timeoutMs(): number {
    return Math.min(this.runtime.options.attempt.timeoutMs, this.limitMs);
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.attempt?.cancelled === true) this.controller.abort(this.attempt.reason);
    }
    return this.controller.signal;
  }

  remainingMs(): number {
    return Math.max(0, this.startedAt + this.timeoutMs - this.runtime.clock.now());
  }

  listen(listener: CancelListener): void {
    this.listener = listener;
  }

  unlisten(): void {
    this.listener = undefined;
  }

  settle(): Promise<Outcome<unknown>> {
    return new Promise((resolve) => {
      this.resolve = resolve as Resolve;
      this.begin();
    });
  }

  call(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.begin();
    });
  }

  /** Its time is up: the caller is answered now, whatever the work does. */
  onTimer(): void {
    inOwnContext(this, () => this.timeUp());
  }

  onCancel(reason: unknown): void {
    if (this.resolve === undefined) return;
    const attempt = this.inflate(true);
    attempt.judgement = CANCELLED;
    attempt.cancel(reason);
    this.end(attempt, failure(reason));
    this.abort(reason);
  }

  private begin(): void {
    const { breaker, runtime, startedAt, timeoutMs } = this;
    const { parent, signal } = this.spec.options;
    operationStarted(this);
    if (breaker !== undefined) this.ticket = breaker.machine.admit(startedAt);
    runtime.attempts++;
    if (runtime.emit.enabled) this.tellStart();
    if (parent !== undefined) parent.listen(this);
    if (signal !== undefined) followSignal(signal, this);
    runtime.clock.arm(this, timeoutMs, startedAt);
    const { surround } = runtime.emit;
    const result = callWork(surround === undefined ? this : surrounded(this, surround, this, 1), this);
    if (!isThenable(result)) {
      if (result.ok) this.returned(result.value);
      else this.settled(result);
      return;
    }
    result.then(
      (value) => this.returned(value),
      (error) => this.settled(failure(error)),
    );
  }

  /** The way of most calls: nothing of it allocates but the outcome for a caller that asked for one. */
  private returned(value: unknown): void {
    const { runtime, spec, breaker } = this;
    const resolve = this.resolve;
    const isClassified = spec.options.classify !== undefined || runtime.options.classify !== undefined;
    if (resolve === undefined || isClassified || isResponse(value)) {
      this.settled(success(value));
      return;
    }
    this.resolve = undefined;
    this.leave();
    const now = runtime.clock.now();
    if (runtime.emit.enabled) tellAttemptEnd(this, this.facts(now));
    if (breaker !== undefined) breaker.machine.record(this.ticket, 'success', now - this.startedAt, now);
    if (runtime.units !== undefined) runtime.units.giveBack();
    if (runtime.stale !== undefined) runtime.stale.remember(spec, value);
    operationSucceeded(this, now);
    resolve(this.reject === undefined ? success(value) : value);
  }

  private settled(outcome: Outcome<unknown>): void {
    const ended = this.attempt;
    if (ended !== undefined) {
      cameLate(this, ended, outcome);
      ended.workEnded();
      return;
    }
    const attempt = this.inflate(false);
    this.end(attempt, read(this, attempt, outcome));
  }

  private timeUp(): void {
    const attempt = this.inflate(true);
    const { error, judgement } = timeUp(this, attempt, attempt.timeoutMs);
    this.end(attempt, read(this, attempt, failure(error), judgement));
    attempt.cancel(error);
    this.abort(error);
  }

  private abort(reason: unknown): void {
    this.listener?.onCancel(reason);
    this.controller?.abort(reason);
  }

  /** @param running does its work go on? Then the unit stays held until it comes back */
  private inflate(running: boolean): Attempt {
    const attempt = new Attempt(this.runtime.clock, undefined, this.workUntil, undefined);
    attempt.startedAt = this.startedAt;
    attempt.timeoutMs = this.timeoutMs;
    attempt.ticket = this.ticket;
    if (running) attempt.workStarted();
    this.attempt = attempt;
    return attempt;
  }

  private end(attempt: Attempt, outcome: Outcome<unknown>): void {
    const { breaker, runtime } = this;
    const resolve = this.resolve as Resolve;
    this.resolve = undefined;
    this.leave();
    attempt.endedAt = runtime.clock.now();
    if (runtime.emit.enabled) tellAttemptEnd(this, attempt);
    if (breaker !== undefined) settleTicket(this, attempt, breaker);
    if (runtime.units !== undefined) releaseWhenIdle(this, attempt);
    if (attempt.judgement.kind === 'answer' && attempt.judgement.caller === 'itself') {
      if (outcome.ok) runtime.stale?.remember(this.spec, outcome.value);
      operationSucceeded(this, attempt.endedAt);
      this.hand(resolve, outcome);
    } else this.handOver(attempt, outcome, resolve);
  }

  private hand(resolve: Resolve, outcome: Outcome<unknown>): void {
    if (this.reject === undefined) resolve(outcome);
    else if (outcome.ok) resolve(outcome.value);
    else this.reject(outcome.error);
  }

  /** The retry loop takes over: it finds the first attempt done, and decides what follows it. */
  private handOver(attempt: Attempt, outcome: Outcome<unknown>, resolve: Resolve): void {
    const op = new OperationCall(this);
    attempt.parent = op;
    op.resolve = resolve;
    op.throws = this.reject !== undefined;
    finishFused(op, this.linked, { attempt, outcome });
  }

  /** Nothing of it waits any more: neither its timer nor a place with its parent or signal. */
  private leave(): void {
    const { parent, signal } = this.spec.options;
    this.runtime.clock.disarm(this);
    if (parent !== undefined) parent.unlisten(this);
    if (signal !== undefined) unfollowSignal(signal, this);
  }

  private tellStart(): void {
    tellAttemptStart(this, this.facts(-1), this.limitMs);
  }

  private facts(endedAt: number) {
    const { startedAt, timeoutMs } = this;
    return { number: 1, startedAt, endedAt, timeoutMs, judgement: GOOD };
  }
}
