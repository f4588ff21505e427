import { DEFAULTS } from './defaults.js';
import { toMs } from './durations.js';
import { givenNumber, givenTime, raised, trimmed } from './given.js';
import type { WrittenDependency } from './merge.js';
import type { ResolvedBreaker, ResolvedWindow } from './resolved.js';
import type { BreakerConfig } from './types.js';

const D = DEFAULTS.breaker;

/** `undefined` when left out. `minCalls` gives way to a written count window, open times to each other. */
export function resolveBreaker(written: WrittenDependency): ResolvedBreaker | undefined {
  const { breaker = {} } = written.merged;
  if (breaker === false) return undefined;
  const window = resolveWindow(breaker.window);
  const calls =
    'calls' in window ? { value: window.calls, level: written.level('breaker.window') } : undefined;
  const minCalls = givenNumber(written, 'breaker.minCalls', breaker.minCalls, D.minCalls);
  return Object.freeze({
    window,
    minCalls: trimmed(minCalls, calls).value,
    failureRate: breaker.failureRate === false ? undefined : (breaker.failureRate ?? D.failureRate),
    consecutive: breaker.consecutive === false ? undefined : (breaker.consecutive ?? D.consecutive),
    slow: resolveSlow(breaker.slow),
    ...resolveOpenTimes(written, breaker),
    jitter: breaker.jitter ?? D.jitter,
    probes: resolveProbes(breaker.probes ?? D.probes),
    observes: breaker.observes ?? 'attempts',
    scope: breaker.scope ?? 'dependency',
    maxKeys: breaker.maxKeys ?? D.maxKeys,
    waitMs: typeof breaker.whenOpen === 'object' ? toMs(breaker.whenOpen.wait, 'breaker.whenOpen.wait') : 0,
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

function resolveOpenTimes(
  written: WrittenDependency,
  { openFor, maxOpenFor }: BreakerConfig,
): { openForMs: number; maxOpenForMs: number } {
  const open = givenTime(written, 'breaker.openFor', openFor, D.openForMs);
  const max = givenTime(written, 'breaker.maxOpenFor', maxOpenFor, D.maxOpenForMs);
  return { openForMs: trimmed(open, max).value, maxOpenForMs: raised(max, open.value).value };
}

function resolveProbes(probes: NonNullable<BreakerConfig['probes']>): ResolvedBreaker['probes'] {
  return Object.freeze(
    typeof probes === 'number'
      ? { count: probes, rate: undefined }
      : { count: probes.count, rate: probes.rate },
  );
}
