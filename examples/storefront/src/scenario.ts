import type { DependencyConfig } from '@spillway/core';

/** How quotes behaves for a while. */
export interface Phase {
  readonly name: string;
  readonly lastsMs: number;
  /** What it answers, and after how long. */
  readonly status: number;
  readonly latencyMs: number;
}

/** Requests a second at each storefront, evenly spaced, whatever becomes of them. */
export const RATE_PER_SECOND = 25;

const BEFORE: Phase = { name: 'well', lastsMs: 4_000, status: 200, latencyMs: 10 };
const OUTAGE: Phase = { name: 'down', lastsMs: 10_000, status: 503, latencyMs: 0 };
const AFTER: Phase = { name: 'well again', lastsMs: 7_000, status: 200, latencyMs: 10 };

/** The life of quotes while the load runs. */
export const SCRIPT: readonly Phase[] = [BEFORE, OUTAGE, AFTER];

/** When quotes is down, in ms since the start. */
export const OUTAGE_STARTS_MS: number = BEFORE.lastsMs;
export const OUTAGE_ENDS_MS: number = BEFORE.lastsMs + OUTAGE.lastsMs;
export const RUN_MS: number = OUTAGE_ENDS_MS + AFTER.lastsMs;

/** The retries of both storefronts: how often, how far apart, how long one attempt may take. */
export const RETRIES = {
  attempts: 4,
  attemptTimeoutMs: 400,
  backoff: { base: 100, factor: 2, cap: 400, jitter: 'full' },
} as const;

/** How the storefront with Spillway calls quotes. What is not said here has its default. */
export const QUOTES_POLICY: DependencyConfig<never> = {
  deadline: '3s',
  attempt: { timeout: RETRIES.attemptTimeoutMs },
  retry: { attempts: RETRIES.attempts, backoff: RETRIES.backoff },
  breaker: { consecutive: 5, openFor: '4s', maxOpenFor: '4s', jitter: 0.1, probes: 1 },
};

/** The phase at an instant; after the script the last one goes on. */
export function phaseAt(elapsedMs: number): Phase {
  let ends = 0;
  for (const phase of SCRIPT) {
    ends += phase.lastsMs;
    if (elapsedMs < ends) return phase;
  }
  return AFTER;
}
