import type { OutcomeKind } from '../call/outcome-table.js';
import type { Criticality } from '../telemetry/events.js';
import type { Classify, FallbackFunction, Mode, ScopeContext } from './types.js';

/** A dependency's options after validation and merging: every duration in ms, every default filled in. Immutable. */
export interface ResolvedDependency {
  readonly name: string;
  readonly baseUrl: URL | undefined;
  /** Infinity for `false`. */
  readonly deadlineMs: number;
  readonly attempt: {
    /** Infinity for `false`. */
    readonly timeoutMs: number;
    readonly minMs: number;
    readonly connectMs: number | undefined;
  };
  readonly retry: ResolvedRetry | undefined;
  readonly breaker: ResolvedBreaker | undefined;
  readonly bulkhead: ResolvedBulkhead | undefined;
  readonly fallback: ResolvedFallback | undefined;
  readonly classify: Classify | undefined;
  readonly propagate: boolean;
  readonly idempotencyKey: boolean;
  readonly client: Readonly<Record<string, unknown>>;
}

export interface ResolvedBackoff {
  readonly baseMs: number;
  readonly factor: number;
  readonly capMs: number;
  readonly jitter: 'full' | 'equal' | 'decorrelated' | 'none';
}

export interface ResolvedBudget {
  readonly ratio: number;
  readonly windowMs: number;
  readonly minPerSecond: number;
  readonly concurrent: { readonly ratio: number; readonly min: number } | undefined;
  readonly key:
    | boolean
    | ((context: { readonly key: string | undefined; readonly operation: string }) => string | undefined);
  readonly maxKeys: number;
  readonly mode: Mode;
}

export interface ResolvedRetry {
  readonly attempts: number;
  /** A function answers in ms. */
  readonly backoff:
    | ResolvedBackoff
    | ((context: { readonly retry: number; readonly kind: OutcomeKind }) => number);
  readonly budget: ResolvedBudget | undefined;
  readonly maxRetryAfterMs: number;
  readonly owner: 'here' | 'above' | 'ignore';
  readonly statuses: readonly number[] | undefined;
}

export type ResolvedWindow = { readonly ms: number } | { readonly calls: number };

export interface ResolvedBreaker {
  readonly window: ResolvedWindow;
  readonly minCalls: number;
  readonly failureRate: number | undefined;
  readonly consecutive: number | undefined;
  readonly slow: { readonly overMs: number; readonly rate: number } | undefined;
  readonly openForMs: number;
  readonly maxOpenForMs: number;
  readonly jitter: number;
  readonly probes: { readonly count: number; readonly rate: number | undefined };
  readonly observes: 'attempts' | 'operations' | 'both';
  readonly scope: 'dependency' | 'origin' | 'endpoint' | ((context: ScopeContext) => string);
  readonly maxKeys: number;
  /** Longest wait for an open breaker; 0 refuses at once. */
  readonly waitMs: number;
  readonly statuses: readonly number[] | undefined;
  readonly mode: Mode;
}

export interface ResolvedBulkhead {
  readonly concurrent: number;
  readonly queue: number;
  readonly waitMs: number;
  readonly detachAfterMs: number;
  readonly mode: Mode;
}

export interface ResolvedFallback {
  readonly run: FallbackFunction<unknown>;
  readonly timeoutMs: number;
  readonly mark: boolean;
}

export type ResolvedLimit =
  | { readonly kind: 'fixed'; readonly limit: number }
  | { readonly kind: 'loop'; readonly turnMs: number; readonly min: number; readonly max: number }
  | {
      readonly kind: 'aimd';
      readonly initial: number;
      readonly min: number;
      readonly max: number;
      readonly backoffRatio: number;
      readonly timeoutMs: number;
    }
  | {
      readonly kind: 'vegas';
      readonly initial: number;
      readonly min: number;
      readonly max: number;
      readonly smoothing: number;
    }
  | {
      readonly kind: 'gradient';
      readonly initial: number;
      readonly min: number;
      readonly max: number;
      readonly smoothing: number;
      readonly tolerance: number;
    };

export interface ResolvedInbound {
  readonly deadline: {
    readonly defaultMs: number;
    readonly maxMs: number;
    readonly marginMs: number;
    readonly headers: readonly { readonly header: string; readonly unit: 'ms' | 's' }[];
    readonly onMalformed: 'ignore' | 'reject';
    readonly covers: 'headers' | 'response';
    readonly mode: Mode;
  };
  readonly concurrency:
    | undefined
    | {
        readonly limit: ResolvedLimit;
        readonly queue: {
          readonly size: number;
          readonly order: 'fifo' | 'lifo' | 'adaptive';
          readonly waitMs: number;
        };
        readonly shares: Readonly<Partial<Record<Criticality, number>>>;
        readonly mode: Mode;
      };
  /** Is this peer address (of the socket, IPv4-mapped too) one of ours? */
  readonly trusts: (peer: string | undefined) => boolean;
  readonly onDisconnect: 'cancel' | 'finish' | undefined;
  readonly detachAfterMs: number;
}

export interface ResolvedConfig {
  readonly service: string;
  readonly inbound: ResolvedInbound;
  readonly dependencies: ReadonlyMap<string, ResolvedDependency>;
  readonly idempotencySecret: string | undefined;
  readonly ignoredFindings: readonly { readonly id: string; readonly reason: string }[];
  readonly strict: boolean;
  /** Where `inject()` is allowed. */
  readonly faults: 'outside-production' | 'always' | 'never';
}
