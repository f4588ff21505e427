import type { SpillwayConfig } from '@spillway/core';

export type ResolvedLatency =
  | { readonly law: 'fixed'; readonly ms: number }
  | { readonly law: 'uniform'; readonly fromMs: number; readonly toMs: number }
  | { readonly law: 'normal'; readonly meanMs: number; readonly sdMs: number; readonly minMs: number }
  | { readonly law: 'log-normal'; readonly medianMs: number; readonly p99Ms: number }
  | { readonly law: 'percentiles'; readonly points: readonly (readonly [share: number, ms: number])[] };

export interface ResolvedFault {
  readonly kind: 'status' | 'slow' | 'hang' | 'reset' | 'refuse';
  readonly from: number;
  readonly to: number;
  readonly share: number;
  readonly status: number;
  readonly retryAfter: number | undefined;
  readonly factor: number;
  readonly after: number;
}

export interface ResolvedRestart {
  readonly at: number;
  readonly down: number;
  readonly cold: { readonly for: number; readonly factor: number } | undefined;
  readonly rolling: number;
}

export interface ResolvedCall {
  readonly to: string;
  readonly share: number;
  readonly times: number;
  readonly idempotent: boolean;
  readonly optional: boolean;
}

export interface ResolvedService {
  readonly latency: ResolvedLatency;
  readonly capacity: number;
  readonly queue: number;
  readonly instances: number;
  readonly whenGone: 'finish' | 'stop';
  readonly faults: readonly ResolvedFault[];
  readonly restarts: readonly ResolvedRestart[];
  readonly spillway: SpillwayConfig | undefined;
  readonly calls: readonly ResolvedCall[];
  readonly parallel: boolean;
}

export interface RateStep {
  readonly at: number;
  readonly rate: number;
}

export type ResolvedArrivals =
  | { readonly kind: 'rate'; readonly steps: readonly RateStep[]; readonly spacing: 'even' | 'poisson' }
  | { readonly kind: 'callers'; readonly callers: number; readonly pause: number }
  | { readonly kind: 'trace'; readonly times: readonly number[] | string };

export interface ResolvedTraffic {
  readonly to: string;
  readonly arrivals: ResolvedArrivals;
  readonly patience: number;
  readonly sendsDeadline: boolean;
  readonly priority: 'critical_plus' | 'critical' | 'sheddable_plus' | 'sheddable';
}

/** A scenario that has been validated: durations in ms, defaults filled in. */
export interface ResolvedScenario {
  readonly name: string;
  readonly about: string;
  readonly seed: number;
  readonly duration: number;
  readonly settle: number;
  readonly measure: { readonly from: number; readonly to: number };
  readonly step: number;
  readonly services: Readonly<Record<string, ResolvedService>>;
  readonly traffic: Readonly<Record<string, ResolvedTraffic>>;
  readonly focus: string | undefined;
  readonly expect: readonly string[];
}
