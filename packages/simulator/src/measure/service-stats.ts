import { Histogram } from './histogram.js';
import type { Window } from './window.js';

/** What one service did, all instances together. */
export class ServiceStats {
  readonly latency: Histogram = new Histogram();
  readonly refusals: Map<string, number> = new Map();
  readonly statuses: Map<number, number> = new Map();
  requests = 0;
  /** Hit by a fault of the scenario before they reached an instance. */
  faulted = 0;
  /** Answered 504 because their time was up. */
  late = 0;
  wastedCount = 0;
  wastedMs = 0;
  maxInWork = 0;
  maxQueued = 0;
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
  }

  answered(status: number, ms: number): void {
    if (!this.#window.open) return;
    this.latency.add(ms);
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }

  refused(reason: string): void {
    if (this.#window.open) this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1);
  }

  wasted(ms: number): void {
    if (!this.#window.open) return;
    this.wastedCount++;
    this.wastedMs += ms;
  }

  sawWork(inWork: number): void {
    if (inWork > this.maxInWork) this.maxInWork = inWork;
  }

  sawQueue(queued: number): void {
    if (queued > this.maxQueued) this.maxQueued = queued;
  }
}
