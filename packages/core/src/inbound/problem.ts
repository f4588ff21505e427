import { ERROR_CATALOGUE, type ErrorCode } from '../call/error-catalogue.js';
import { retryAfterSeconds, type SpillwayError } from '../call/errors.js';

/** Media type of RFC 9457. */
const PROBLEM_TYPE = 'application/problem+json';

const OWN = 'https://spillway.dev/problems/';
/** Registered by the RateLimit draft for a server that is short of something at present. */
const REDUCED_CAPACITY = 'https://iana.org/assignments/http-problem-types#temporary-reduced-capacity';

/** `type` of each error's problem; `title` says the same to a person. */
const PROBLEMS: Readonly<Record<ErrorCode, readonly [type: string, title: string]>> = {
  ERR_DEADLINE_EXCEEDED: [`${OWN}deadline-exceeded`, 'The deadline has passed'],
  ERR_ATTEMPT_TIMEOUT: [`${OWN}attempt-timeout`, 'A dependency did not answer in time'],
  ERR_BREAKER_OPEN: [`${OWN}breaker-open`, 'A dependency is unavailable'],
  ERR_BULKHEAD_FULL: [`${OWN}bulkhead-full`, 'Too much is waiting for a dependency'],
  ERR_OVERLOADED: [REDUCED_CAPACITY, 'Temporarily reduced capacity'],
  ERR_UPSTREAM: [`${OWN}upstream`, 'A dependency failed'],
  ERR_CANCELLED: [`${OWN}cancelled`, 'The request was cancelled'],
  ERR_FALLBACK_LOOP: [`${OWN}fallback-loop`, 'Internal error'],
  ERR_CLOSED: [`${OWN}closed`, 'Internal error'],
  ERR_CONFIG: [`${OWN}config`, 'Internal error'],
  ERR_UNKNOWN_DEPENDENCY: [`${OWN}unknown-dependency`, 'Internal error'],
  ERR_IDEMPOTENCY_KEY_MISSING: [`${OWN}idempotency-key-missing`, 'An Idempotency-Key is required'],
  ERR_IDEMPOTENCY_KEY_INVALID: [`${OWN}idempotency-key-invalid`, 'The Idempotency-Key is malformed'],
  ERR_IDEMPOTENCY_IN_PROGRESS: [`${OWN}idempotency-in-progress`, 'The same request is still being processed'],
  ERR_IDEMPOTENCY_MISMATCH: [
    `${OWN}idempotency-mismatch`,
    'The Idempotency-Key was used for another request',
  ],
  ERR_IDEMPOTENCY_NOT_STORED: [
    `${OWN}idempotency-result-not-stored`,
    'The result of this Idempotency-Key was not stored',
  ],
  ERR_IDEMPOTENCY_STORE_UNAVAILABLE: [
    `${OWN}idempotency-store-unavailable`,
    'The Idempotency-Key cannot be checked',
  ],
};

/** An answer in problem details, ready to be written. */
export interface ProblemAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The problem of a request whose deadline header is malformed, with `onMalformed: 'reject'`. */
export function malformedDeadlineProblem(headers: readonly string[], service: string): ProblemAnswer {
  const detail = `Malformed deadline: ${headers.join(', ')}. Send whole milliseconds, once, or leave the header out`;
  return answerOf(400, {
    type: `${OWN}malformed-deadline`,
    title: 'A deadline header is malformed',
    detail,
    service,
  });
}

/**
 * Problem details (RFC 9457) of one of Spillway's errors. Says what happened, to which dependency, and when to come
 * back; never a stack, and nothing of the request to the dependency.
 */
export function problemOf(error: SpillwayError, service: string): ProblemAnswer {
  const { code, status, message, dependency, operation, stopped, sent, attempts, retryAfterMs } = error;
  const [type, title] = PROBLEMS[code] ?? ['about:blank', 'Internal error'];
  const open = ERROR_CATALOGUE[code]?.expose === true;
  const members = open
    ? {
        detail: message,
        code,
        service,
        dependency,
        operation,
        stopped,
        sent,
        attempts,
        retryAfterMs: whole(retryAfterMs),
      }
    : { code, service };
  return answerOf(status, { type, title, ...members }, retryAfterMs);
}

function answerOf(
  status: number,
  members: Readonly<Record<string, unknown>>,
  retryAfterMs?: number,
): ProblemAnswer {
  const { type, title, ...rest } = members;
  const body = JSON.stringify({ type, title, status, ...rest });
  const headers: Record<string, string> = {
    'Content-Type': PROBLEM_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
  };
  if (retryAfterMs !== undefined) headers['Retry-After'] = retryAfterSeconds(retryAfterMs);
  return { status, headers, body };
}

/** Fractions of a millisecond are noise. */
function whole(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.ceil(ms);
}
