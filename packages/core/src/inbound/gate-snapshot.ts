import type { Criticality } from '../telemetry/events.js';
import type { RefusalReason } from './guest.js';
import { CRITICALITIES } from './request-facts.js';

/** The gate's present state, for `snapshot()`. */
export interface GateSnapshot {
  readonly limit: number;
  readonly inFlight: number;
  readonly queued: number;
  readonly admitted: number;
  readonly refused: Readonly<Record<RefusalReason, number>>;
  readonly inFlightByPriority: Readonly<Record<Criticality, number>>;
  readonly refusedByPriority: Readonly<Record<Criticality, number>>;
}

/** Who was refused so far. */
export class RefusalCount {
  readonly byReason: Record<RefusalReason, number> = {
    limit: 0,
    queue: 0,
    deadline: 0,
    codel: 0,
    draining: 0,
  };
  /** By rank of criticality, lowest first. */
  readonly byRank: number[] = CRITICALITIES.map(() => 0);

  add(rank: number, reason: RefusalReason): void {
    this.byReason[reason]++;
    this.byRank[rank] = (this.byRank[rank] ?? 0) + 1;
  }
}

/** Counts by rank, lowest first, under the names of their classes. */
export function byName(ranks: readonly number[]): Record<Criticality, number> {
  const [sheddable = 0, sheddable_plus = 0, critical = 0, critical_plus = 0] = ranks;
  return { critical_plus, critical, sheddable_plus, sheddable };
}
