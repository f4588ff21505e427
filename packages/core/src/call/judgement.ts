import type { Sent } from './error-catalogue.js';
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

/** Verdicts that say no more than their row are shared: every failure that waits for its retry keeps one. */
const PLAIN = new Map<OutcomeKind, Judgement>();

/** Everything went well. */
export const GOOD: Judgement = judge('answer');

export function judge(kind: OutcomeKind, facts?: JudgementFacts): Judgement {
  return facts === undefined ? plain(kind) : judged(kind, facts);
}

function plain(kind: OutcomeKind): Judgement {
  const known = PLAIN.get(kind);
  if (known !== undefined) return known;
  const made = Object.freeze(judged(kind));
  PLAIN.set(kind, made);
  return made;
}

function judged(kind: OutcomeKind, facts?: JudgementFacts): Judgement {
  const { retry, breaker, fallback, caller, sent } = OUTCOME_TABLE[kind];
  return { kind, retry, breaker, fallback, caller, ...facts, sent: facts?.sent ?? sent };
}
