import type { Sent } from '../call/error-catalogue.js';
import type { SpillwayError } from '../call/errors.js';
import type { OutcomeKind } from '../call/outcome-table.js';
import type { PlacedPolicy } from '../pipeline/slots.js';
import type { Criticality } from '../telemetry/events.js';

/** A length of time: a number of milliseconds, or a number with its unit ('400ms', '2s', '1m', '1h', '1d'). */
export type Duration = number | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`;

/** `observe`: decide and count, but let everything pass. The documented first day in production. */
export type Mode = 'enforce' | 'observe';

export interface BackoffConfig {
  /** Wait before the first retry. Default 100 ms. */
  readonly base?: Duration;
  /** Growth per retry, 1 or more. Default 2. */
  readonly factor?: number;
  /** Longest wait. Default 2 s. */
  readonly cap?: Duration;
  /** Default `full`: uniform between 0 and the exponential value. */
  readonly jitter?: 'full' | 'equal' | 'decorrelated' | 'none';
}

export interface BudgetConfig {
  /** Retries per operation over `window`, 0 to 10. Default 0.2. */
  readonly ratio?: number;
  /** Default 10 s. */
  readonly window?: Duration;
  /** Floor: this times the window, in seconds, is there whole from the start. Default 1. */
  readonly minPerSecond?: number;
  /** Scheduled and running retries stay below max(min, ratio x operations in flight). Default { ratio: 0.2, min: 3 }. */
  readonly concurrent?: false | { readonly ratio?: number; readonly min?: number };
  /** Splits the ratio's part per tenant, from the call's `key` option; at most `maxKeys` (1000) are remembered. */
  readonly key?:
    | boolean
    | ((context: { readonly key: string | undefined; readonly operation: string }) => string | undefined);
  readonly maxKeys?: number;
  readonly mode?: Mode;
}

export interface RetryConfig {
  /** All attempts, the first included, 1 to 100. Default 3. */
  readonly attempts?: number;
  readonly backoff?:
    | BackoffConfig
    | ((context: { readonly retry: number; readonly kind: OutcomeKind }) => Duration);
  readonly budget?: false | BudgetConfig;
  /** Retry-After is honoured up to this and never shortened: a longer one stops the loop. Default 30 s. */
  readonly maxRetryAfter?: Duration;
  /** Who retries: `here` unless told otherwise on the wire, `above` never here, `ignore` always here. */
  readonly owner?: 'here' | 'above' | 'ignore';
  /** Statuses to retry in place of 408 425 429 500 502 503 504. */
  readonly statuses?: readonly number[];
}

export interface SlowConfig {
  /** A call is slow when it took strictly longer. */
  readonly over: Duration;
  /** Share of slow calls that opens, above 0 up to 1. Default 0.5. */
  readonly rate?: number;
}

export interface BreakerConfig {
  /** A time, or the last so many calls. Default 30 s. */
  readonly window?: Duration | { readonly calls: number };
  /** Default 20. */
  readonly minCalls?: number;
  /** Share of failures that opens, above 0 up to 1; reached exactly, it opens. Default 0.5. */
  readonly failureRate?: number | false;
  /** Failures in a row, within a window of time, that open. Default 10. */
  readonly consecutive?: number | false;
  readonly slow?: false | SlowConfig;
  /** Default 5 s; doubles per reopening up to `maxOpenFor`, resets after a full window closed. */
  readonly openFor?: Duration;
  /** Default 60 s. */
  readonly maxOpenFor?: Duration;
  /** Relative spread of the open time, 0 to 1. Default 0.2. */
  readonly jitter?: number;
  /** A number: all of them must be good. `{ count, rate }`: judged after all; reopens at that share of bad ones. Default 3. */
  readonly probes?: number | { readonly count: number; readonly rate: number };
  /** What it admits and records. Default `attempts`. */
  readonly observes?: 'attempts' | 'operations' | 'both';
  /** What shares one breaker. Default `dependency`. */
  readonly scope?: 'dependency' | 'origin' | 'endpoint' | ((context: ScopeContext) => string);
  /** Breakers kept per dependency when scoped; least recently used go first, open ones last. Default 1000. */
  readonly maxKeys?: number;
  readonly whenOpen?: 'refuse' | { readonly wait: Duration };
  /** Statuses that count as failures in place of 5xx. */
  readonly statuses?: readonly number[];
  readonly mode?: Mode;
}

export interface ScopeContext {
  readonly dependency: string;
  readonly operation: string;
  readonly method: string | undefined;
  readonly origin: string | undefined;
  readonly path: string | undefined;
  /** The `key` that the call was made with: a tenant, a shard. */
  readonly key: string | undefined;
}

export interface BulkheadConfig {
  /** Pieces of work running at once. Default 50. */
  readonly concurrent?: number;
  /** Operations that may wait for a unit. Default 50. */
  readonly queue?: number;
  /** Longest wait for a unit. Default 500 ms. */
  readonly wait?: Duration;
  /** After this, work that ignores its abort gives its unit back. Default 30 s. */
  readonly detachAfter?: Duration;
  readonly mode?: Mode;
}

export interface AttemptConfig {
  /** Default 3 s, or the deadline if that is shorter. `false`: bounded by the deadline alone. */
  readonly timeout?: Duration | false;
  /** A retry is not started with less time left. Default 50 ms, or the timeout if that is shorter. */
  readonly min?: Duration;
  /** Bound on look-up, connect and TLS of a client's attempt. Default: the attempt's own timeout. */
  readonly connect?: Duration;
}

export interface FallbackContext {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly operation: string;
  /** Aborts when the fallback's own time is up. */
  readonly signal: AbortSignal;
  /** Like the request's own, but refuses the dependency (and its origin) that this fallback stands in for. */
  readonly client: (name: string) => unknown;
  readonly dependency: (name: string) => unknown;
}

export type FallbackFunction<A> = (failure: SpillwayError, context: FallbackContext) => A | Promise<A>;

export interface FallbackOptions<A> {
  readonly run: FallbackFunction<A>;
  /** Default 1 s. */
  readonly timeout?: Duration;
  /** Mark the answer with `X-Degraded: <dependency>`. Default true. */
  readonly mark?: boolean;
}

export type Verdict =
  | 'success'
  | 'failure'
  | 'ignore'
  | {
      readonly retry?: boolean;
      readonly breaker?: 'success' | 'failure' | 'ignore';
      readonly fallback?: boolean;
      readonly retryAfterMs?: number;
    };

export interface ClassifyContext {
  readonly dependency: string;
  readonly operation: string;
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly attempt: number;
  readonly idempotent: boolean;
  readonly status: number | undefined;
  readonly sent: Sent;
  /** What the outcome table says. */
  readonly kind: OutcomeKind;
}

/** Overrides the outcome table; `undefined` keeps it. Gets the result or the error of an attempt. */
export type Classify = (resultOrError: unknown, context: ClassifyContext) => Verdict | undefined;

export interface DependencyConfig<A = unknown> {
  /** Where the HTTP client's paths go; needed for a client, not for `.call()`. */
  readonly baseUrl?: string | URL;
  /** Longest an operation may take, retries and waits included. Default 10 s. `false`: the request's alone. */
  readonly deadline?: Duration | false;
  readonly attempt?: AttemptConfig;
  readonly retry?: false | RetryConfig;
  readonly breaker?: false | BreakerConfig;
  readonly bulkhead?: false | BulkheadConfig;
  readonly fallback?: FallbackFunction<A> | FallbackOptions<A>;
  readonly classify?: Classify;
  /** Send our headers to it, and believe its. Default true; false for third parties. */
  readonly propagate?: boolean;
  /** Derive the idempotency keys of calls made inside a request that came with one. Default true. */
  readonly idempotencyKey?: boolean;
  /** Allowed options of got for every request: `headers`, `searchParams`, `followRedirect`, … */
  readonly client?: Readonly<Record<string, unknown>>;
  /** Policies of your own, each just outside one of the standard ones. */
  readonly policies?: readonly PlacedPolicy[];
}

/** What a fallback adds to a result: nothing when none is configured and its type is therefore unknown. */
export type Adds<A> = unknown extends A ? never : A;

/** Part of a dependency's options that may stand in `defaults`. */
export type DefaultsConfig = Omit<DependencyConfig<never>, 'baseUrl' | 'fallback' | 'policies'>;

export interface LimitConfigLoop {
  readonly kind: 'loop';
  /** Length of a loop turn above which the limit shrinks. Default 10 ms. */
  readonly turn?: Duration;
  readonly min?: number;
  readonly max?: number;
}
export interface LimitConfigAimd {
  readonly kind: 'aimd';
  readonly initial?: number;
  readonly min?: number;
  readonly max?: number;
  /** Default 0.9. */
  readonly backoffRatio?: number;
  readonly timeout?: Duration;
}
export interface LimitConfigVegas {
  readonly kind: 'vegas';
  readonly initial?: number;
  readonly min?: number;
  readonly max?: number;
  readonly smoothing?: number;
}
export interface LimitConfigGradient {
  readonly kind: 'gradient';
  readonly initial?: number;
  readonly min?: number;
  readonly max?: number;
  readonly smoothing?: number;
  readonly tolerance?: number;
}
export type LimitConfig = number | LimitConfigLoop | LimitConfigAimd | LimitConfigVegas | LimitConfigGradient;

export interface InboundDeadlineConfig {
  /** For requests that bring none; bounds downstream work only, no 504 comes of it. Default 30 s. */
  readonly default?: Duration;
  /** Longest deadline a caller may ask for. Default 60 s. */
  readonly max?: Duration;
  /** Time kept back for fallbacks and the answer; at most 20 % of the budget. Default 20 ms. */
  readonly margin?: Duration;
  /** More headers to read, each with its unit. */
  readonly headers?: readonly { readonly header: string; readonly unit: 'ms' | 's' }[];
  /** `ignore`: a malformed header counts as absent. `reject`: 400. Default ignore (D3). */
  readonly onMalformed?: 'ignore' | 'reject';
  /** What must happen by the deadline: the response's first byte, or all of it. Default `headers`. */
  readonly covers?: 'headers' | 'response';
  readonly mode?: Mode;
}

export interface InboundConcurrencyConfig {
  readonly limit?: LimitConfig;
  readonly queue?: {
    /** Requests that may wait. Default 0. */
    readonly size?: number;
    readonly order?: 'fifo' | 'lifo' | 'adaptive';
    /** Longest wait, further cut by each request's time left. Default 500 ms. */
    readonly wait?: Duration;
  };
  /** Guaranteed share of the limit per criticality class; the rest is free for all. */
  readonly shares?: Partial<Record<Criticality, number>>;
  readonly mode?: Mode;
}

export type TrustConfig = readonly string[] | ((peer: string) => boolean);

export interface InboundConfig {
  readonly deadline?: InboundDeadlineConfig;
  readonly concurrency?: false | InboundConcurrencyConfig | number;
  /** CIDRs or a predicate over the socket's peer address; never X-Forwarded-For. Default nobody. */
  readonly trust?: TrustConfig;
  /** What a client's hang-up does to the work it asked for. Default: cancel for safe methods, else finish. */
  readonly onDisconnect?: 'cancel' | 'finish';
  /** A handler answered 504 that runs on gives its slot back after this. Default 30 s. */
  readonly detachAfter?: Duration;
}

export interface IdempotencyConfig {
  /** Secret from which keys of nested calls are derived; without one a key is derived from the inbound key alone. */
  readonly secret?: string;
}

export interface CheckConfig {
  readonly ignore?: readonly { readonly id: string; readonly reason: string }[];
}

export interface SpillwayConfig<F extends Record<string, unknown> = Record<string, unknown>> {
  /** Name of this service, in problem details and telemetry. */
  readonly service?: string;
  readonly inbound?: InboundConfig;
  /** Merged under each dependency's own options. */
  readonly defaults?: DefaultsConfig;
  readonly dependencies?: { readonly [N in keyof F]: DependencyConfig<F[N]> };
  readonly idempotency?: IdempotencyConfig;
  readonly check?: CheckConfig;
  /** Refuse options that can never take effect; false makes them warnings. Default true. */
  readonly strict?: boolean;
  /** Where `dependency(name).inject()` is allowed. Default `outside-production`: not where NODE_ENV is `production`. */
  readonly faults?: 'outside-production' | 'always' | 'never';
}
