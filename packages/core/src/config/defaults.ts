/**
 * Every built-in default, in milliseconds where it is a time (DESIGN: Defaults). The only place they stand: options
 * resolve from here and the option table shows them from here.
 */
export interface Defaults {
  readonly deadlineMs: number;
  readonly attempt: { readonly timeoutMs: number; readonly minMs: number };
  readonly retry: {
    readonly attempts: number;
    readonly backoff: {
      readonly baseMs: number;
      readonly factor: number;
      readonly capMs: number;
      readonly jitter: 'full';
    };
    readonly budget: {
      readonly ratio: number;
      readonly windowMs: number;
      readonly minPerSecond: number;
      readonly concurrent: { readonly ratio: number; readonly min: number };
      readonly maxKeys: number;
    };
    readonly maxRetryAfterMs: number;
    readonly owner: 'here';
  };
  readonly breaker: {
    readonly windowMs: number;
    readonly minCalls: number;
    readonly failureRate: number;
    readonly consecutive: number;
    readonly slowRate: number;
    readonly openForMs: number;
    readonly maxOpenForMs: number;
    readonly jitter: number;
    readonly probes: number;
    readonly maxKeys: number;
  };
  readonly bulkhead: {
    readonly concurrent: number;
    readonly queue: number;
    readonly waitMs: number;
    readonly detachAfterMs: number;
  };
  readonly fallbackTimeoutMs: number;
  readonly inbound: {
    readonly defaultMs: number;
    readonly maxMs: number;
    readonly marginMs: number;
    /** The margin is never more than this share of a request's budget. */
    readonly marginShare: number;
    readonly queueSize: number;
    readonly queueWaitMs: number;
    readonly detachAfterMs: number;
    readonly loop: { readonly turnMs: number; readonly min: number; readonly max: number };
    /** Where the adaptive limits start and stay; high at first, so that a healthy server refuses nobody. */
    readonly adaptive: { readonly initial: number; readonly min: number; readonly max: number };
    readonly aimd: { readonly backoffRatio: number; readonly timeoutMs: number };
    readonly vegas: { readonly smoothing: number };
    readonly gradient: { readonly smoothing: number; readonly tolerance: number };
  };
  readonly service: string;
}

export const DEFAULTS: Defaults = {
  deadlineMs: 10_000,
  attempt: { timeoutMs: 3_000, minMs: 50 },
  retry: {
    attempts: 3,
    backoff: { baseMs: 100, factor: 2, capMs: 2_000, jitter: 'full' },
    budget: {
      ratio: 0.2,
      windowMs: 10_000,
      minPerSecond: 1,
      concurrent: { ratio: 0.2, min: 3 },
      maxKeys: 1_000,
    },
    maxRetryAfterMs: 30_000,
    owner: 'here',
  },
  breaker: {
    windowMs: 30_000,
    minCalls: 20,
    failureRate: 0.5,
    consecutive: 10,
    slowRate: 0.5,
    openForMs: 5_000,
    maxOpenForMs: 60_000,
    jitter: 0.2,
    probes: 3,
    maxKeys: 1_000,
  },
  bulkhead: { concurrent: 50, queue: 50, waitMs: 500, detachAfterMs: 30_000 },
  fallbackTimeoutMs: 1_000,
  inbound: {
    defaultMs: 30_000,
    maxMs: 60_000,
    marginMs: 20,
    marginShare: 0.2,
    queueSize: 0,
    queueWaitMs: 500,
    detachAfterMs: 30_000,
    loop: { turnMs: 10, min: 1, max: 1_000 },
    adaptive: { initial: 200, min: 2, max: 1_000 },
    aimd: { backoffRatio: 0.9, timeoutMs: 5_000 },
    vegas: { smoothing: 1 },
    gradient: { smoothing: 0.2, tolerance: 1.5 },
  },
  service: 'app',
};
