import type { EventOf, SpillwayEvent } from '../../../src/index.js';
import type { Rule } from './rule.js';

/**
 * At the moment a retry is granted, those granted in the trailing window, this one included, are at most
 * ratio x operations in it + floor, and those asleep or running fewer than their share of the operations in flight.
 */
export const budget: Rule = ({ options, events }) => {
  const limits = options.retry?.budget;
  if (limits === undefined) return [];
  const breaches: string[] = [];
  const books = new Books(limits.windowMs);
  const floor = (limits.minPerSecond * limits.windowMs) / 1000;
  for (const event of events) {
    if (event.type === 'retry.scheduled') {
      const { running, operations, granted } = books.at(event.at);
      const allowed = limits.ratio * operations + floor;
      if (granted + 1 > allowed) breaches.push(`${granted} + 1 granted at ${event.at}, ${allowed} allowed`);
      const { min, ratio } = limits.concurrent ?? { min: Number.POSITIVE_INFINITY, ratio: 0 };
      if (running >= Math.max(min, ratio * books.inFlight))
        breaches.push(`${running} + 1 at once at ${event.at}`);
    }
    books.enter(event);
  }
  return breaches;
};

/** What has been granted and begun, told by events alone. */
class Books {
  readonly #windowMs: number;
  readonly #operations: number[] = [];
  /** Instants of the grants that stand, by operation and attempt. */
  readonly #grants = new Map<string, number>();
  /** Retries asleep or running. */
  readonly #open = new Map<number, string>();
  readonly #begun = new Set<string>();
  inFlight = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  at(now: number): { running: number; operations: number; granted: number } {
    const inside = (at: number) => at > now - this.#windowMs;
    const granted = [...this.#grants.values()].filter(inside).length;
    return { running: this.#open.size, operations: this.#operations.filter(inside).length, granted };
  }

  enter(event: SpillwayEvent): void {
    if (event.type === 'operation.start') {
      this.#operations.push(event.at);
      this.inFlight++;
    } else if (event.type === 'retry.scheduled') {
      const key = `${event.id}/${event.attempt}`;
      this.#grants.set(key, event.at);
      this.#open.set(event.id, key);
    } else if (event.type === 'attempt.start') this.#begun.add(`${event.id}/${event.attempt}`);
    else if (event.type === 'attempt.end') this.#ended(event);
    else if (event.type === 'retry.stopped') this.#close(event.id);
    else if (event.type === 'operation.end') {
      this.#close(event.id);
      this.inFlight--;
    }
  }

  /** One whose own calls were refused has spent nothing either. */
  #ended({ id, attempt, kind }: EventOf<'attempt.end'>): void {
    if (kind === 'refused') this.#begun.delete(`${id}/${attempt}`);
    this.#close(id);
  }

  /** A retry that never began gives its grant back. */
  #close(id: number): void {
    const key = this.#open.get(id);
    if (key === undefined) return;
    this.#open.delete(id);
    if (!this.#begun.has(key)) this.#grants.delete(key);
  }
}
