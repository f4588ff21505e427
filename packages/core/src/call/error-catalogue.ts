/** Who is to blame: policies learn from failures of the callee only, never from our own refusals. */
export type Blame = 'us' | 'caller' | 'callee';

/** Whether a request reached the dependency: surely not, perhaps, or surely because it answered. */
export type Sent = 'no' | 'maybe' | 'answered';

/** Why the retry loop of a failed operation ended. */
export const STOP_REASONS = [
  'not-retryable',
  'attempts',
  'budget',
  'deadline',
  'breaker',
  'bulkhead',
  'retry-after',
  'not-idempotent',
  'body-not-replayable',
  'should-retry',
  'owner',
  'cancelled',
  'closed',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

export interface CatalogueEntry {
  readonly blame: Blame;
  /** HTTP status an inbound request is answered with when this error reaches a default error handler. */
  readonly status: number;
  /** May the message be shown to the client of an inbound request? */
  readonly expose: boolean;
  /** Misuse is a programmer's error and keeps its stack; everything that happens in operation has none. */
  readonly misuse?: true;
  readonly when: string;
}

export type ErrorCode =
  | 'ERR_DEADLINE_EXCEEDED'
  | 'ERR_ATTEMPT_TIMEOUT'
  | 'ERR_BREAKER_OPEN'
  | 'ERR_BULKHEAD_FULL'
  | 'ERR_OVERLOADED'
  | 'ERR_UPSTREAM'
  | 'ERR_CANCELLED'
  | 'ERR_FALLBACK_LOOP'
  | 'ERR_CLOSED'
  | 'ERR_CONFIG'
  | 'ERR_UNKNOWN_DEPENDENCY'
  | 'ERR_IDEMPOTENCY_KEY_MISSING'
  | 'ERR_IDEMPOTENCY_KEY_INVALID'
  | 'ERR_IDEMPOTENCY_IN_PROGRESS'
  | 'ERR_IDEMPOTENCY_MISMATCH'
  | 'ERR_IDEMPOTENCY_NOT_STORED'
  | 'ERR_IDEMPOTENCY_STORE_UNAVAILABLE';

/** Every error Spillway raises (DESIGN: Errors). Status maps, problem details and the docs page derive from it. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = {
  ERR_DEADLINE_EXCEEDED: {
    blame: 'us',
    status: 504,
    expose: true,
    when: 'time is up, or what is left cannot fit the work',
  },
  ERR_ATTEMPT_TIMEOUT: {
    blame: 'callee',
    status: 504,
    expose: true,
    when: 'an attempt ran into its own timeout; the cause inside ERR_UPSTREAM',
  },
  ERR_BREAKER_OPEN: {
    blame: 'us',
    status: 503,
    expose: true,
    when: 'the breaker refused without an attempt',
  },
  ERR_BULKHEAD_FULL: {
    blame: 'us',
    status: 503,
    expose: true,
    when: 'no unit, no queue place, or waited too long',
  },
  ERR_OVERLOADED: { blame: 'us', status: 503, expose: true, when: 'the inbound gate refused' },
  ERR_UPSTREAM: { blame: 'callee', status: 502, expose: true, when: "the dependency's final failure" },
  ERR_CANCELLED: { blame: 'caller', status: 503, expose: true, when: 'the client went away' },
  ERR_FALLBACK_LOOP: {
    blame: 'us',
    status: 500,
    expose: false,
    when: 'a fallback called the dependency it stands in for',
  },
  ERR_CLOSED: { blame: 'us', status: 500, expose: false, misuse: true, when: 'the spillway was closed' },
  ERR_CONFIG: { blame: 'us', status: 500, expose: false, misuse: true, when: 'an option is wrong' },
  ERR_UNKNOWN_DEPENDENCY: {
    blame: 'us',
    status: 500,
    expose: false,
    misuse: true,
    when: 'no dependency of that name',
  },
  ERR_IDEMPOTENCY_KEY_MISSING: {
    blame: 'caller',
    status: 400,
    expose: true,
    when: 'the route requires an Idempotency-Key',
  },
  ERR_IDEMPOTENCY_KEY_INVALID: {
    blame: 'caller',
    status: 400,
    expose: true,
    when: 'the Idempotency-Key is malformed',
  },
  ERR_IDEMPOTENCY_IN_PROGRESS: {
    blame: 'caller',
    status: 409,
    expose: true,
    when: 'the first request with this key still runs',
  },
  ERR_IDEMPOTENCY_MISMATCH: {
    blame: 'caller',
    status: 422,
    expose: true,
    when: 'the key was used for another request',
  },
  ERR_IDEMPOTENCY_NOT_STORED: {
    blame: 'caller',
    status: 409,
    expose: true,
    when: 'the request with this key was carried out, but its answer was not kept',
  },
  ERR_IDEMPOTENCY_STORE_UNAVAILABLE: {
    blame: 'us',
    status: 503,
    expose: true,
    when: 'the store of idempotency keys did not answer in time; nothing was done',
  },
};
