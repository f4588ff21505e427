import { ERROR_CATALOGUE, type ErrorCode, type RefusalReason, type StopReason } from '@spillway/core';

/** Why an operation or a request was ended here, what that means, and what to look at. */
export interface Reason {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  /** undefined where the meaning says it all. */
  readonly remedy: string | undefined;
}

const CODES: Readonly<Partial<Record<ErrorCode, string>>> = {
  ERR_BREAKER_OPEN:
    'The dependency failed too often of late, so calls are not even tried. It comes back by itself: after the open time a few probes are let through, and if they are good the breaker closes. Look at what the dependency failed with before it opened.',
  ERR_BULKHEAD_FULL:
    'All units are held by running work and the queue is full, or the wait for a unit was too long. As a rule the dependency has become slow: compare p99 with the attempt timeout, and the detached units with the limit. Raise bulkhead.concurrent only when the dependency can take more.',
  ERR_DEADLINE_EXCEEDED:
    'Less time was left than the work needs. Either the caller gave too little, or too much of it was spent before: look at the deadline left on arrival, and at waits in queues and between attempts.',
  ERR_ATTEMPT_TIMEOUT:
    'One attempt ran into attempt.timeout. When p99 lies close to it, the timeout is too short; when p50 does, the dependency is.',
  ERR_OVERLOADED:
    'This server had as much work as it can do in time, and turned the least critical requests away. Look at the limit against the requests in flight; more instances help, a higher limit seldom does.',
  ERR_UPSTREAM:
    'The dependency failed and no attempt mended it. Its cause says how, and stopped why there was no further attempt.',
  ERR_CANCELLED:
    'The client hung up before its answer was ready. Many of them mean that answers take too long.',
  ERR_CONFIG: 'An option is wrong; the message names it, its value and what is allowed.',
  ERR_UNKNOWN_DEPENDENCY: 'The configuration has no dependency of that name; the message lists those it has.',
  ERR_IDEMPOTENCY_KEY_MISSING: 'The client sent no Idempotency-Key to a route that wants one.',
  ERR_IDEMPOTENCY_KEY_INVALID: 'The client sent an Idempotency-Key that is none, or too long.',
  ERR_IDEMPOTENCY_IN_PROGRESS: 'The client asked again before the first request with this key was answered.',
  ERR_IDEMPOTENCY_NOT_STORED:
    'The work of the first request with this key was done, but its answer could not be kept: doing it again might do it twice.',
  ERR_IDEMPOTENCY_STORE_UNAVAILABLE:
    'The store of keys is down or slow. Look at it: without it no key can be honoured.',
  ERR_IDEMPOTENCY_MISMATCH: 'The client used one key for two different requests.',
  ERR_CLOSED: 'The application called after spillway.close(). Calls belong before it, or before drain().',
  ERR_FALLBACK_LOOP:
    'A fallback called the dependency that it stands in for, which would fail the same way. Let it call another one, or answer from what is at hand.',
};

const STOPPED: Readonly<Record<StopReason, string>> = {
  'not-retryable':
    'The failure was of a kind that another attempt does not mend: an answer that does not parse, say, or a bad certificate.',
  attempts: 'Every attempt that retry.attempts allows was made, and the last failed too.',
  budget:
    'The retry budget was spent: so many operations failed that retrying them all would multiply the load on a dependency in trouble. That is what it is for; if it is spent in normal traffic, look at what fails.',
  deadline: 'Not enough time was left for a wait and another attempt. The caller got the original failure.',
  breaker: 'The breaker opened between two attempts. The caller got the original failure.',
  bulkhead: 'No unit was free for another attempt. The caller got the original failure.',
  'retry-after': 'The dependency asked to wait longer than retry.maxRetryAfter, or than the time left.',
  'not-idempotent':
    'The request may have arrived, and doing it twice may do harm. Give it an idempotency key, or say idempotent: true when it may be repeated.',
  'body-not-replayable':
    'The body was a stream that has been read: it cannot be sent again. Give a function that makes it.',
  'should-retry':
    'The dependency said that it, or one below it, had retried already (X-Should-Retry: false).',
  owner: "retry.owner is 'above': whoever called this service retries, so that attempts do not multiply.",
  cancelled: 'The caller went away, so nobody waited for another attempt.',
  closed: 'The service was shutting down: sleeping retries end with the failure they had.',
};

const GATE: Readonly<Record<RefusalReason | 'expired', string>> = {
  limit: 'As many requests as the limit allows were in flight, and there was no queue to wait in.',
  queue: 'The queue in front of the gate was full, or the wait in it too long.',
  deadline: 'What was left of the deadline of the request would have gone in the queue.',
  codel: 'The queue stood for too long, so the gate dropped from it to get the wait down (CoDel).',
  draining: 'The server was shutting down; another instance may serve the request.',
  expired: 'The deadline had passed when the request arrived: nobody waited for the answer any more.',
};

/** Every reason that the page may name, by the id of its place on the page of reasons. */
export const REASONS: readonly Reason[] = [
  ...Object.entries(ERROR_CATALOGUE).map(([id, { when, status }]) => ({
    id,
    title: id,
    meaning: `${sentence(when)} Answered with status ${status}.`,
    remedy: CODES[id as ErrorCode],
  })),
  ...Object.entries(STOPPED).map(([reason, remedy]) => ({
    id: `stopped-${reason}`,
    title: `no further attempt: ${reason}`,
    meaning: `The retry loop of a failed operation ended with stopped: '${reason}'.`,
    remedy,
  })),
  ...Object.entries(GATE).map(([reason, remedy]) => ({
    id: `gate-${reason}`,
    title: `turned away at the gate: ${reason}`,
    meaning: 'The request was refused before its handler ran.',
    remedy,
  })),
];

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
