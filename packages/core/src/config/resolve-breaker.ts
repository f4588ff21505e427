import { DEFAULTS } from './defaults.js';
import { toMs } from './durations.js';
import type { ResolvedBreaker, ResolvedWindow } from './resolved.js';
import type { BreakerConfig, Duration } from './types.js';

const D = DEFAULTS.breaker;

/** Defaults give way: `minCalls` and `consecutive` to a written count window, open times to each other. */
export function resolveBreaker(breaker: BreakerConfig): ResolvedBreaker {
  const window = resolveWindow(breaker.window);
  const calls = 'calls' in window ? window.calls : Number.POSITIVE_INFINITY;
  return Object.freeze({
    window,
    minCalls: breaker.minCalls ?? Math.min(D.minCalls, calls),
    failureRate: unlessFalse(breaker.failureRate, D.failureRate),
    consecutive: unlessFalse(breaker.consecutive, Math.min(D.consecutive, calls)),
    slow: resolveSlow(breaker.slow),
    ...resolveOpenTimes(breaker),
    jitter: breaker.jitter ?? D.jitter,
    probes: resolveProbes(breaker.probes ?? D.probes),
    observes: breaker.observes ?? 'attempts',
    scope: breaker.scope ?? 'dependency',
    maxKeys: breaker.maxKeys ?? D.maxKeys,
    waitMs: resolveWait(breaker.whenOpen),
    statuses: breaker.statuses === undefined ? undefined : Object.freeze([...breaker.statuses]),
    mode: breaker.mode ?? 'enforce',
  });
}

function resolveWindow(window: BreakerConfig['window']): ResolvedWindow {
  if (window === undefined) return Object.freeze({ ms: D.windowMs });
  return Object.freeze(
    typeof window === 'object' ? { calls: window.calls } : { ms: toMs(window, 'breaker.window') },
  );
}

function resolveSlow(slow: BreakerConfig['slow']): ResolvedBreaker['slow'] {
  if (slow === undefined || slow === false) return undefined;
  return Object.freeze({ overMs: toMs(slow.over, 'breaker.slow.over'), rate: slow.rate ?? D.slowRate });
}

function resolveOpenTimes({ openFor, maxOpenFor }: BreakerConfig): {
  openForMs: number;
  maxOpenForMs: number;
} {
  const open = optional(openFor, 'breaker.openFor');
  const max = optional(maxOpenFor, 'breaker.maxOpenFor');
  return {
    openForMs: open ?? Math.min(D.openForMs, max ?? D.openForMs),
    maxOpenForMs: max ?? Math.max(D.maxOpenForMs, open ?? D.maxOpenForMs),
  };
}

function resolveProbes(probes: NonNullable<BreakerConfig['probes']>): ResolvedBreaker['probes'] {
  return Object.freeze(
    typeof probes === 'number'
      ? { count: probes, rate: undefined }
      : { count: probes.count, rate: probes.rate },
  );
}

function resolveWait(whenOpen: BreakerConfig['whenOpen']): number {
  return typeof whenOpen === 'object' ? toMs(whenOpen.wait, 'breaker.whenOpen.wait') : 0;
}

function optional(value: Duration | undefined, option: string): number | undefined {
  return value === undefined ? undefined : toMs(value, option);
}

function unlessFalse(value: number | false | undefined, builtIn: number): number | undefined {
  return value === false ? undefined : (value ?? builtIn);
}
