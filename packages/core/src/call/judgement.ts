import type { Sent } from './errors.js';
import { OUTCOME_TABLE, type OutcomeKind, type OutcomeRow } from './outcome-table.js';

/** The verdict on one attempt: its row of the outcome table, with what the answer said and overrides applied. */
export interface Judgement {
  readonly kind: OutcomeKind;
  readonly retry: OutcomeRow['retry'];
  readonly breaker: OutcomeRow['breaker'];
  readonly fallback: boolean;
  readonly caller: OutcomeRow['caller'];
  readonly sent: Sent;
  /** Status the dependency answered with, if it answered. */
  readonly status?: number | undefined;
  /** Wait the dependency asked for, unclamped. */
  readonly retryAfterMs?: number | undefined;
  /** False when the answer said that this operation has been retried already (`X-Should-Retry: false`). */
  readonly shouldRetry?: false | undefined;
  /** False when the body was a stream that has been read: the request cannot be sent again (C-041). */
  readonly replayable?: false | undefined;
}

export interface JudgementFacts {
  readonly sent?: Sent | undefined;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly shouldRetry?: false | undefined;
  readonly replayable?: false | undefined;
}

/** Everything went well: shared, so that success allocates no verdict. */
export const GOOD: Judgement = Object.freeze(judge('answer'));

export function judge(kind: OutcomeKind, facts?: JudgementFacts): Judgement {
  const { retry, breaker, fallback, caller, sent } = OUTCOME_TABLE[kind];
  return { kind, retry, breaker, fallback, caller, ...facts, sent: facts?.sent ?? sent };
}
