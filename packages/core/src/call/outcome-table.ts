import type { Sent } from './error-catalogue.js';

/** What an attempt came to; the rows of the outcome table. */
export type OutcomeKind =
  | 'answer'
  | 'transient-status'
  | 'throttled'
  | 'in-progress'
  | 'server-error'
  | 'server-fault'
  | 'certificate'
  | 'unparsable'
  | 'truncated'
  | 'unsent'
  | 'reset'
  | 'timeout'
  | 'stale'
  | 'cut-early'
  | 'cut-late'
  | 'refused'
  | 'cancelled'
  | 'misuse'
  | 'thrown';

export interface OutcomeRow {
  readonly when: string;
  /**
   * `idempotent`: when the request may be repeated (method, key or option). `declared`: only with
   * `idempotent: true` or a key. `any-method`: it surely was not sent. `keyed`: only ever seen on a request with a
   * key. `resend`: once, at once, uncounted, on a fresh connection.
   */
  readonly retry: 'never' | 'idempotent' | 'declared' | 'any-method' | 'keyed' | 'resend';
  readonly breaker: 'success' | 'failure' | 'ignored';
  readonly fallback: boolean;
  /** `itself`: the answer, or the error untouched. `upstream`: ERR_UPSTREAM. `deadline`: ERR_DEADLINE_EXCEEDED. */
  readonly caller: 'itself' | 'upstream' | 'deadline';
  /** Status of ERR_UPSTREAM; `by-status`: 503 and 504 stay, anything else is 502. */
  readonly status?: 502 | 503 | 504 | 'by-status';
  /** Does the ERR_UPSTREAM carry Retry-After? `503`: only when its status is 503. */
  readonly retryAfter?: true | '503';
  readonly sent: Sent;
}

/**
 * What each outcome of an attempt means to retry, breaker, fallback and the caller (DESIGN: The outcome table).
 * The only place where this is decided; `classify`, `retry.statuses` and `breaker.statuses` override single cells.
 */
export const OUTCOME_TABLE: Readonly<Record<OutcomeKind, OutcomeRow>> = {
  answer: {
    when: '2xx, 3xx, 4xx not named below',
    retry: 'never',
    breaker: 'success',
    fallback: false,
    caller: 'itself',
    sent: 'answered',
  },
  'transient-status': {
    when: '408 425',
    retry: 'idempotent',
    breaker: 'ignored',
    fallback: true,
    caller: 'upstream',
    status: 502,
    sent: 'answered',
  },
  throttled: {
    when: '429',
    retry: 'idempotent',
    breaker: 'ignored',
    fallback: true,
    caller: 'upstream',
    status: 503,
    retryAfter: true,
    sent: 'answered',
  },
  'in-progress': {
    when: '409 with Retry-After, on a request sent with a key',
    retry: 'keyed',
    breaker: 'ignored',
    fallback: false,
    caller: 'itself',
    sent: 'answered',
  },
  'server-error': {
    when: '500 502 503 504',
    retry: 'idempotent',
    breaker: 'failure',
    fallback: true,
    caller: 'upstream',
    status: 'by-status',
    retryAfter: '503',
    sent: 'answered',
  },
  'server-fault': {
    when: 'other 5xx',
    retry: 'never',
    breaker: 'failure',
    fallback: true,
    caller: 'upstream',
    status: 502,
    sent: 'answered',
  },
  certificate: {
    when: 'certificate error',
    retry: 'never',
    breaker: 'failure',
    fallback: true,
    caller: 'upstream',
    status: 502,
    sent: 'no',
  },
  unparsable: {
    when: 'body that does not parse',
    retry: 'never',
    breaker: 'ignored',
    fallback: true,
    caller: 'upstream',
    status: 502,
    sent: 'answered',
  },
  truncated: {
    when: 'body cut short after the headers',
    retry: 'idempotent',
    breaker: 'failure',
    fallback: true,
    caller: 'upstream',
    status: 502,
    sent: 'answered',
  },
  unsent: {
    when: 'refused, DNS, connect timeout (surely not sent)',
    retry: 'any-method',
    breaker: 'failure',
    fallback: true,
    caller: 'upstream',
    status: 503,
    retryAfter: true,
    sent: 'no',
  },
  reset: {
    when: 'reset after sending',
    retry: 'idempotent',
    breaker: 'failure',
    fallback: true,
    caller: 'upstream',
    status: 502,
    sent: 'maybe',
  },
  timeout: {
    when: 'own timeout after sending',
    retry: 'idempotent',
    breaker: 'failure',
    fallback: true,
    caller: 'upstream',
    status: 504,
    sent: 'maybe',
  },
  stale: {
    when: 'reset of a reused connection before any byte, idempotent',
    retry: 'resend',
    breaker: 'ignored',
    fallback: true,
    caller: 'upstream',
    status: 502,
    sent: 'maybe',
  },
  'cut-early': {
    when: 'cut before the cut threshold by time the caller gave',
    retry: 'never',
    breaker: 'ignored',
    fallback: true,
    caller: 'deadline',
    sent: 'maybe',
  },
  'cut-late': {
    when: 'cut after the cut threshold by time the caller gave',
    retry: 'never',
    breaker: 'failure',
    fallback: true,
    caller: 'deadline',
    sent: 'maybe',
  },
  refused: {
    when: 'our own refusal (breaker, bulkhead, deadline)',
    retry: 'never',
    breaker: 'ignored',
    fallback: true,
    caller: 'itself',
    sent: 'no',
  },
  cancelled: {
    when: 'cancelled',
    retry: 'never',
    breaker: 'ignored',
    fallback: false,
    caller: 'itself',
    sent: 'maybe',
  },
  misuse: {
    when: 'TypeError and other programmer errors; misuse',
    retry: 'never',
    breaker: 'ignored',
    fallback: false,
    caller: 'itself',
    sent: 'maybe',
  },
  thrown: {
    when: 'a function given to .call() throws',
    retry: 'declared',
    breaker: 'failure',
    fallback: true,
    caller: 'upstream',
    status: 502,
    sent: 'maybe',
  },
};

/** The row of an answered status. `keyed`: the request carried an idempotency key; `hasRetryAfter`: so did the answer. */
export function kindOfStatus(status: number, keyed: boolean, hasRetryAfter: boolean): OutcomeKind {
  if (status < 500) {
    if (status === 429) return 'throttled';
    if (status === 408 || status === 425) return 'transient-status';
    return status === 409 && keyed && hasRetryAfter ? 'in-progress' : 'answer';
  }
  return status === 500 || (status >= 502 && status <= 504) ? 'server-error' : 'server-fault';
}

/** Status of the ERR_UPSTREAM that a row asks for. */
export function upstreamStatus(row: OutcomeRow, answered: number | undefined): number {
  if (row.status !== 'by-status') return row.status ?? 502;
  return answered === 503 || answered === 504 ? answered : 502;
}
