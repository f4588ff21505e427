import type { ResolvedBackoff } from '../config/resolved.js';
import type { Random } from '../time/random.js';

/**
 * How long to wait before a retry, in ms; always finite, from 0 to the cap (C-049). The formulas are those of the
 * AWS backoff simulator: exponential, full jitter, equal jitter, decorrelated jitter.
 * @param retry 0 for the first retry
 * @param previousMs the wait before, for decorrelated jitter; 0 when there was none
 */
export function backoffDelay(
  options: ResolvedBackoff,
  retry: number,
  random: Random,
  previousMs: number,
): number {
  const { baseMs, jitter } = options;
  // an endless cap would make 0 x Infinity out of a lucky draw
  const capMs = Math.min(options.capMs, Number.MAX_VALUE);
  if (jitter === 'decorrelated') {
    const from = Math.max(baseMs, previousMs);
    return Math.min(capMs, baseMs + random() * (Math.min(3 * from, Number.MAX_VALUE) - baseMs));
  }
  const waitMs = exponential(baseMs, options.factor, capMs, retry);
  if (jitter === 'none') return waitMs;
  if (jitter === 'full') return random() * waitMs;
  return waitMs / 2 + random() * (waitMs / 2);
}

function exponential(baseMs: number, factor: number, capMs: number, retry: number): number {
  if (baseMs === 0) return 0;
  return Math.min(capMs, baseMs * factor ** retry);
}
