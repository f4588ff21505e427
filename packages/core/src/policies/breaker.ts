import { type Attempt, UNRECORDED } from '../call/attempt.js';
import { type SpillwayError, spillwayError } from '../call/errors.js';
import type { Judgement } from '../call/judgement.js';
import { failure, type Outcome } from '../call/outcome.js';
import { type BreakerHandle, type BreakerRegistry, wakeWaiters } from '../pipeline/breaker-registry.js';
import { type OperationCall, type OperationFacts, operationOf } from '../pipeline/operation-call.js';
import type { AttemptStep } from './attempt.js';
import { BreakerWait } from './breaker-wait.js';
import { CANCELLED, cutThresholdMs, REFUSED } from './verdicts.js';

/** What the breaker says to a call: a ticket (`UNRECORDED` when it only observes), or its refusal. */
type Admission =
  | { readonly ticket: number; readonly refusal?: undefined }
  | { readonly ticket?: undefined; readonly refusal: SpillwayError };

type OperationStep = (op: OperationCall) => Promise<Outcome<unknown>>;

const OBSERVED: Admission = { ticket: UNRECORDED };

/**
 * The breaker's outer half, before the bulkhead: a breaker known to be open refuses before any queueing, and a probe
 * is reserved before its unit is taken. A probe that then gets no unit gives its place back.
 */
export function breakerGuard(next: AttemptStep): AttemptStep {
  return async (attempt) => {
    const op = operationOf(attempt);
    const handle = op.breaker as BreakerHandle;
    // with its unit in hand it is past this place, and the inner half asks next
    if (!attempt.holdsUnit) {
      const refusal = await reserve(op, attempt, handle);
      if (op.cancelled) return cancelled(op, attempt, handle);
      if (refusal !== undefined) return refuse(attempt, refusal);
    }
    const outcome = await next(attempt);
    settleTicket(op, attempt, handle);
    return outcome;
  };
}

/**
 * The inner half, once the unit is there: takes the ticket, unless a probe has it already, and records the result
 * before the unit is handed on, so that whoever gets it meets a breaker that knows.
 */
export function breakerAdmit(next: AttemptStep): AttemptStep {
  return async (attempt) => {
    const refusal = takeTicket(attempt);
    if (refusal !== undefined) return refuse(attempt, refusal);
    const outcome = await next(attempt);
    const op = operationOf(attempt);
    settleTicket(op, attempt, op.breaker as BreakerHandle);
    return outcome;
  };
}

/** Cancelled while it waited for the breaker; a probe's place it had got meanwhile goes back. */
function cancelled(op: OperationCall, attempt: Attempt, handle: BreakerHandle): Outcome<never> {
  attempt.judgement = CANCELLED;
  settleTicket(op, attempt, handle);
  return failure(op.reason);
}

function takeTicket(attempt: Attempt): SpillwayError | undefined {
  if (attempt.ticket !== 0) return undefined;
  const op = operationOf(attempt);
  const handle = op.breaker as BreakerHandle;
  const now = op.clock.now();
  const admission = admit(op, handle, now);
  if (admission.refusal !== undefined) {
    reportRefusal(op, handle, now, false);
    return admission.refusal;
  }
  attempt.ticket = admission.ticket;
  return undefined;
}

function refuse(attempt: Attempt, refusal: unknown): Outcome<never> {
  attempt.judgement = REFUSED;
  return failure(refusal);
}

/** The breaker around the whole retry loop (`observes: 'operations'`): a probe is a whole operation. */
export async function observeOperation(op: OperationCall, next: OperationStep): Promise<Outcome<unknown>> {
  const handle = op.breaker as BreakerHandle;
  const admission = await admitOrWait(op, handle);
  if (op.cancelled) {
    op.verdict = CANCELLED;
    recordTicket(handle, admission.ticket ?? 0, 'ignored', 0, op.clock.now());
    return failure(op.reason);
  }
  if (admission.refusal !== undefined) {
    op.verdict = REFUSED;
    return failure(admission.refusal);
  }
  const start = op.clock.now();
  const outcome = await next(op);
  const now = op.clock.now();
  recordTicket(handle, admission.ticket, op.verdict.breaker, now - start, now);
  return outcome;
}

/** A ticket of 0 changes nothing. */
function recordTicket(
  handle: BreakerHandle,
  ticket: number,
  result: Judgement['breaker'],
  tookMs: number,
  now: number,
): void {
  if (ticket === UNRECORDED) return;
  const { machine } = handle;
  machine.record(ticket, result, tookMs, now);
  if (machine.isProbe(ticket) && result === 'ignored') wakeWaiters(handle);
}

/** The second window of `observes: 'both'`: records the operation under the generation it started in. */
export async function recordOperation(op: OperationCall, next: OperationStep): Promise<Outcome<unknown>> {
  const { machine } = op.breaker as BreakerHandle;
  const start = op.clock.now();
  const generation = machine.admitOperation(start);
  const outcome = await next(op);
  const now = op.clock.now();
  machine.recordOperation(generation, op.verdict.breaker, now - start, now);
  return outcome;
}

async function reserve(
  op: OperationCall,
  attempt: Attempt,
  handle: BreakerHandle,
): Promise<SpillwayError | undefined> {
  const now = op.clock.now();
  const { machine } = handle;
  if (!machine.refusesNow(now) && !machine.wouldProbe(now)) return undefined;
  const admission = await admitOrWait(op, handle);
  if (admission.refusal !== undefined) return admission.refusal;
  attempt.ticket = admission.ticket;
  return undefined;
}

/** Records how an attempt ended, once: its ticket is spent by it. */
export function settleTicket(op: OperationFacts, attempt: Attempt, handle: BreakerHandle): void {
  const ended = attempt.endedAt >= 0 ? attempt.endedAt : op.clock.now();
  const took = attempt.startedAt >= 0 ? ended - attempt.startedAt : 0;
  recordTicket(handle, attempt.ticket, attempt.judgement.breaker, took, ended);
  attempt.ticket = 0;
}

/** Asks once, or with `whenOpen: { wait }` until the wait or the operation's time is over. */
async function admitOrWait(op: OperationCall, handle: BreakerHandle): Promise<Admission> {
  const now = op.clock.now();
  let admission = admit(op, handle, now);
  const { waitMs } = (op.runtime.breakers as BreakerRegistry).options;
  if (admission.refusal !== undefined && waitMs > 0) {
    const until = Math.min(now + waitMs, op.workUntil - op.runtime.options.attempt.minMs);
    admission = await new BreakerWait(op, handle, until).ask((at) => admit(op, handle, at), admission);
  }
  // who waited in vain was refused once, and who was cancelled meanwhile was not
  if (admission.refusal !== undefined && !op.cancelled) reportRefusal(op, handle, op.clock.now(), false);
  return admission;
}

/**
 * A call with less time left than the cut threshold is no probe: cut short, it would say nothing. Unless no better
 * one came for a further open time: else a breaker whose callers all bring little time would never close again.
 */
function admit(op: OperationCall, handle: BreakerHandle, now: number): Admission {
  const { machine } = handle;
  const tooShort = machine.wouldProbe(now) && op.workUntil - now < probeNeedsMs(op) && !machine.starved(now);
  const ticket = tooShort ? 0 : machine.admit(now);
  if (ticket !== 0) return { ticket };
  if (handle.mode !== 'observe') return { refusal: breakerOpen(op, machine.retryAfterMs(now)) };
  reportRefusal(op, handle, now, true);
  return OBSERVED;
}

function probeNeedsMs(op: OperationCall): number {
  return Math.min(cutThresholdMs(op), op.runtime.options.attempt.timeoutMs);
}

/** @param make an error to be thrown, or one that is handed out as a value */
export function breakerOpen(
  op: OperationFacts,
  retryAfterMs: number,
  make: typeof spillwayError = spillwayError,
): SpillwayError {
  const { name, openMessage } = op.runtime;
  return make('ERR_BREAKER_OPEN', openMessage, {
    dependency: name,
    operation: op.spec.operation,
    retryAfterMs,
    sent: 'no',
  });
}

export function reportRefusal(
  op: OperationFacts,
  { key, machine }: BreakerHandle,
  at: number,
  observed: boolean,
): void {
  const { runtime, spec, id } = op;
  if (!runtime.emit.enabled) return;
  const retryAfterMs = machine.retryAfterMs(at);
  runtime.emit.emit({
    type: 'breaker.refused',
    dependency: runtime.name,
    operation: spec.operation,
    id,
    at,
    key,
    state: machine.state(at),
    retryAfterMs,
    observed,
  });
}
