import type { PermitEnd } from '../algorithms/permit.js';
import type { Clock } from '../time/clock.js';
import type { Arrival, EventLoop } from './turn-sampler.js';

/** Who is inside the gate. */
export interface Crowd {
  /** Requests inside. */
  readonly total: number;
  /** The same by rank of criticality, lowest first. */
  readonly ranks: readonly number[];
}

/** What a ceiling works with. */
export interface CeilingRuntime {
  /** Live: the gate's own count. */
  readonly crowd: Crowd;
  /** How many wait to be let in. */
  readonly waiting: () => number;
  readonly clock: Clock;
  readonly loop: EventLoop;
  /** More may be let in than before: look at who waits. */
  readonly relaxed: () => void;
}

/** What says whether one more may come in. It learns and decides; the counting is the gate's. */
export interface Ceiling {
  /** For telemetry: how many may be inside at present. */
  readonly limit: number;
  /** May one more request of `rank` come in? */
  admits(rank: number, now: number): boolean;
  /**
   * Should one of `rank` wait for a moment, although it may come in? `relaxed` tells when that is over.
   * @param waiting how many of that rank and above do
   */
  postpones(rank: number, now: number, waiting: number): boolean;
  /** A request came, whatever becomes of it. */
  arrived(request: Arrival & { readonly rank: number }, now: number): void;
  /** One came in and is counted. */
  entered(rank: number): void;
  /**
   * One goes; it is still counted.
   * @param tookMs how long it was inside
   */
  left(end: PermitEnd, tookMs: number, now: number): void;
}

/** How many of `rank` or above are inside. */
export function atOrAbove(crowd: Crowd, rank: number): number {
  let count = 0;
  for (let r = rank; r < crowd.ranks.length; r++) count += crowd.ranks[r] ?? 0;
  return count;
}
