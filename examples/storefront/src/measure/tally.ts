import { OUTAGE_ENDS_MS, OUTAGE_STARTS_MS } from '../scenario.js';

/** `fresh`: a price. `degraded`: an answer without one. `failed`: any other status. `unanswered`: none at all. */
export type Answer = 'fresh' | 'degraded' | 'failed' | 'unanswered';

/** What one side's users have seen so far. Times in ms. */
export interface Summary {
  readonly requests: number;
  readonly requestsInOutage: number;
  readonly answers: Readonly<Record<Answer, number>>;
  /** How long users waited for an answer without a price. */
  readonly failedWait: { readonly median: number | null; readonly p99: number | null };
  /** From the end of the outage to the first price; null until there is one. */
  readonly recoveredAfter: number | null;
}

/** Counts one side. Instants are ms since the start of the run. */
export class Tally {
  requests = 0;
  #requestsInOutage = 0;
  readonly #answers: Record<Answer, number> = { fresh: 0, degraded: 0, failed: 0, unanswered: 0 };
  readonly #failedWaits: number[] = [];
  #recoveredAfter: number | null = null;

  sent(at: number): void {
    this.requests++;
    if (at >= OUTAGE_STARTS_MS && at < OUTAGE_ENDS_MS) this.#requestsInOutage++;
  }

  answered(answer: Answer, sentAt: number, at: number): void {
    this.#answers[answer]++;
    if (answer !== 'fresh') this.#failedWaits.push(at - sentAt);
    else if (at >= OUTAGE_ENDS_MS) this.#recoveredAfter ??= at - OUTAGE_ENDS_MS;
  }

  summary(): Summary {
    const waits = this.#failedWaits.toSorted((a, b) => a - b);
    return {
      requests: this.requests,
      requestsInOutage: this.#requestsInOutage,
      answers: { ...this.#answers },
      failedWait: { median: quantile(waits, 0.5), p99: quantile(waits, 0.99) },
      recoveredAfter: this.#recoveredAfter,
    };
  }
}

/** Nearest rank: a value that was measured, not one in between. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}
