import { type ErrorCode, retryAfterSeconds } from '@spillway/core';
import type { HeaderList } from './answer.js';
import { STORED } from './headers.js';

/** Every `type` of problem starts with this (RFC 9457). */
export const PROBLEM_BASE = 'https://spillway.dev/problems/';

/** An answer of our own, in full. */
export interface OwnAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Uint8Array;
}

export type ProblemName =
  | 'idempotency-key-missing'
  | 'idempotency-key-invalid'
  | 'idempotency-in-progress'
  | 'idempotency-result-not-stored'
  | 'idempotency-mismatch'
  | 'idempotency-store-unavailable';

interface Problem {
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly code: ErrorCode;
}

/** Titles of the first four as in draft-ietf-httpapi-idempotency-key-header-07. */
const PROBLEMS: Readonly<Record<ProblemName, Problem>> = {
  'idempotency-key-missing': {
    status: 400,
    title: 'Idempotency-Key is missing',
    detail:
      'This operation requires an Idempotency-Key header: one fresh value per operation, the same on each attempt.',
    code: 'ERR_IDEMPOTENCY_KEY_MISSING',
  },
  'idempotency-key-invalid': {
    status: 400,
    title: 'Idempotency-Key is invalid',
    detail: 'Send one Idempotency-Key header: a quoted string of 1 to 255 printable ASCII characters.',
    code: 'ERR_IDEMPOTENCY_KEY_INVALID',
  },
  'idempotency-in-progress': {
    status: 409,
    title: 'A request is outstanding for this Idempotency-Key',
    detail:
      'The first request with this key is still being processed. Send it again, unchanged, after Retry-After.',
    code: 'ERR_IDEMPOTENCY_IN_PROGRESS',
  },
  'idempotency-result-not-stored': {
    status: 409,
    title: 'The result of this Idempotency-Key was not stored',
    detail:
      'The request was carried out, but its answer was not kept: it was too large, or came after the deadline. Read the result from its resource.',
    code: 'ERR_IDEMPOTENCY_NOT_STORED',
  },
  'idempotency-mismatch': {
    status: 422,
    title: 'Idempotency-Key is already used',
    detail:
      'This key was used for another request: method, path, query, content type or body differ. Use a new key.',
    code: 'ERR_IDEMPOTENCY_MISMATCH',
  },
  'idempotency-store-unavailable': {
    status: 503,
    title: 'Idempotency-Key cannot be checked',
    detail: 'The store of idempotency keys did not answer in time. Nothing was done; send the request again.',
    code: 'ERR_IDEMPOTENCY_STORE_UNAVAILABLE',
  },
};

/** A problem-details answer (RFC 9457). @param retryAfterMs becomes Retry-After: whole seconds, at least 1 */
export function problem(name: ProblemName, retryAfterMs?: number): OwnAnswer {
  const { status, title, detail, code } = PROBLEMS[name];
  const body = Buffer.from(JSON.stringify({ type: PROBLEM_BASE + name, title, status, detail, code }));
  const headers: [string, string][] = [
    ['Content-Type', 'application/problem+json'],
    ['Cache-Control', 'no-store'],
    ['Content-Length', String(body.byteLength)],
  ];
  if (retryAfterMs !== undefined) headers.push(['Retry-After', retryAfterSeconds(retryAfterMs)]);
  if (name === 'idempotency-result-not-stored') headers.push([STORED, 'false']);
  return { status, headers, body };
}
