import type { Visit } from './visit.js';

/** First come, first served; joining and leaving anywhere take one step. */
export class VisitQueue {
  readonly #visits: Set<Visit> = new Set();

  get size(): number {
    return this.#visits.size;
  }

  add(visit: Visit): void {
    this.#visits.add(visit);
  }

  remove(visit: Visit): void {
    this.#visits.delete(visit);
  }

  shift(): Visit | undefined {
    for (const visit of this.#visits) {
      this.#visits.delete(visit);
      return visit;
    }
    return undefined;
  }
}
