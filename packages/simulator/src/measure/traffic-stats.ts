import { Histogram } from './histogram.js';
import type { Window } from './window.js';

/** What the clients of one traffic saw. */
export class TrafficStats {
  readonly latency: Histogram = new Histogram();
  readonly good: Histogram = new Histogram();
  readonly failures: Histogram = new Histogram();
  readonly statuses: Map<string | number, number> = new Map();
  requests = 0;
  goodCount = 0;
  degradedCount = 0;
  failedCount = 0;
  gaveUpCount = 0;
  waiting = 0;
  readonly step: { sent: number; good: number; bad: number } = { sent: 0, good: 0, bad: 0 };
  /** Durations of answers since the last step. */
  readonly stepLatency: Histogram = new Histogram();
  readonly #window: Window;

  constructor(window: Window) {
    this.#window = window;
  }

  sent(): void {
    this.waiting++;
    this.step.sent++;
    if (this.#window.open) this.requests++;
  }

  /** `status`: what came; `broken` for a connection that failed. */
  answered(status: number | 'broken', degraded: boolean, ms: number): void {
    this.waiting--;
    const isGood = status !== 'broken' && status < 400;
    if (isGood) this.step.good++;
    else this.step.bad++;
    this.stepLatency.add(ms);
    if (!this.#window.open) return;
    this.#count(status);
    this.latency.add(ms);
    (isGood ? this.good : this.failures).add(ms);
    if (!isGood) this.failedCount++;
    else {
      this.goodCount++;
      if (degraded) this.degradedCount++;
    }
  }

  gaveUp(ms: number): void {
    this.waiting--;
    this.step.bad++;
    this.stepLatency.add(ms);
    if (!this.#window.open) return;
    this.#count('gave up');
    this.gaveUpCount++;
    this.failures.add(ms);
  }

  #count(status: string | number): void {
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
  }
}
