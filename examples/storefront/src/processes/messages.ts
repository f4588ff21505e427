import type { Summary } from '../measure/tally.js';

/** The two storefronts, in the order in which they are shown. */
export const SIDES = ['spillway', 'plain'] as const;
export type Side = (typeof SIDES)[number];
export type BySide<T> = Readonly<Record<Side, T>>;

/** Where each storefront listens. */
export type Targets = BySide<string>;

/** From the parent: to the load, to warm up and begin; to quotes, that the load has begun. */
export interface Order {
  readonly type: 'start';
  readonly targets?: Targets;
}

/** A process can do its work; servers say where. */
export interface Ready {
  readonly type: 'ready';
  readonly url?: string;
}

/** From the load: it is warm, and time runs. */
export interface Begins {
  readonly type: 'begins';
}

/** From quotes: attempts that reached it while it was down, by caller. */
export interface Reached {
  readonly type: 'reached';
  readonly reached: Readonly<Record<string, number>>;
}

/** From the load: what it has seen so far; `done` when everything sent was answered. */
export interface Tallied {
  readonly type: 'tally' | 'done';
  /** Since it began. */
  readonly elapsedMs: number;
  readonly sides: BySide<Summary>;
}

/** From the storefront, with `--traces`: an operation and its attempts, in a few lines. */
export interface Traced {
  readonly type: 'trace';
  readonly text: string;
}

export type Report = Ready | Begins | Reached | Tallied | Traced;
