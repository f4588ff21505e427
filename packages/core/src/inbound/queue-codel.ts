import { Codel } from '../algorithms/limits/codel.js';
import type { ResolvedInbound } from '../config/resolved.js';

/** Waits of an adaptive queue above this share of the longest are too long to be served while all are. */
const CODEL_TARGET = 0.05;
const CODEL_SHORTEST_TARGET_MS = 5;
const CODEL_INTERVAL_MS = 100;

/** CoDel for an adaptive queue; the others have none. */
export function codelOf(
  { order, waitMs }: NonNullable<ResolvedInbound['concurrency']>['queue'],
  now: number,
): Codel | undefined {
  if (order !== 'adaptive') return undefined;
  const targetMs = Math.max(CODEL_SHORTEST_TARGET_MS, CODEL_TARGET * waitMs);
  return new Codel({ targetMs, intervalMs: CODEL_INTERVAL_MS }, now);
}
