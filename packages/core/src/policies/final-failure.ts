import type { Attempt, Tried } from '../call/attempt.js';
import type { Sent, StopReason } from '../call/error-catalogue.js';
import { type SpillwayError, spillwayError } from '../call/errors.js';
import type { Judgement } from '../call/judgement.js';
import { failure, type Outcome, success } from '../call/outcome.js';
import { OUTCOME_TABLE, upstreamStatus } from '../call/outcome-table.js';
import type { OperationCall } from '../pipeline/operation-call.js';

/** A failure of the dependency, kept while the loop goes on: what the caller gets if nothing better comes. */
export class Setback implements Tried {
  readonly number: number;
  readonly judgement: Judgement;
  readonly #ok: boolean;
  readonly #result: unknown;
  /** Kept only while it runs on, since what waits for a retry is to be small. */
  readonly #running: Attempt | undefined;

  constructor(attempt: Attempt, { ok, value, error }: Outcome<unknown>) {
    this.number = attempt.number;
    this.judgement = attempt.judgement;
    this.#ok = ok;
    this.#result = ok ? value : error;
    this.#running = attempt.running ? attempt : undefined;
  }

  get outcome(): Outcome<unknown> {
    return this.#ok ? success(this.#result) : failure(this.#result);
  }

  get running(): boolean {
    return this.#running?.running === true;
  }
}

/** The operation's final outcome out of its last setback, by the column "the caller gets" of the outcome table. */
export function concede(
  op: OperationCall,
  setback: Setback,
  stopped: StopReason,
  sent: Sent,
): Outcome<unknown> {
  const { outcome, judgement } = setback;
  op.verdict = judgement;
  op.stopped = stopped;
  if (judgement.caller !== 'upstream') return outcome;
  if (outcome.ok && op.spec.options.unwrap !== true) op.spec.discard?.(outcome.value);
  return failure(upstreamFailure(op, outcome, judgement, stopped, sent));
}

function upstreamFailure(
  op: OperationCall,
  outcome: Outcome<unknown>,
  judgement: Judgement,
  stopped: StopReason,
  sent: Sent,
): SpillwayError {
  const { name } = op.runtime;
  // the row's status, but a breaker that opened between two attempts makes it 503 whatever the first failure was
  const status =
    stopped === 'breaker' ? 503 : upstreamStatus(OUTCOME_TABLE[judgement.kind], judgement.status);
  return spillwayError('ERR_UPSTREAM', `${name} failed: ${SAID[judgement.kind] ?? judgement.kind}`, {
    dependency: name,
    operation: op.spec.operation,
    cause: outcome.ok ? outcome.value : outcome.error,
    status,
    retryAfterMs: retryAfter(op, judgement, status, stopped),
    stopped,
    sent,
    attempts: op.attempts,
  });
}

const SAID: Partial<Record<Judgement['kind'], string>> = {
  unsent: 'no connection',
  reset: 'connection reset',
  stale: 'connection reset',
  timeout: 'no answer in time',
  truncated: 'answer cut short',
  unparsable: 'answer does not parse',
  certificate: 'certificate not valid',
  throttled: 'too many requests',
  'server-error': 'server error',
  'server-fault': 'server error',
  'transient-status': 'not ready',
  thrown: 'its call threw',
  misuse: 'its call threw',
};

function retryAfter(
  op: OperationCall,
  judgement: Judgement,
  status: number,
  stopped: StopReason,
): number | undefined {
  const now = op.clock.now();
  if (stopped === 'breaker') return op.runtime.retryAfterMs(op.breaker, now);
  const rule = OUTCOME_TABLE[judgement.kind].retryAfter;
  if (rule === undefined || (rule === '503' && status !== 503)) return judgement.retryAfterMs;
  return judgement.retryAfterMs ?? op.runtime.retryAfterMs(op.breaker, now);
}

/** The strongest that can be said of all attempts together: one that may have arrived may have had its effect. */
export function strongest(before: Sent, now: Sent): Sent {
  if (now === 'answered') return 'answered';
  return before === 'no' ? now : 'maybe';
}
