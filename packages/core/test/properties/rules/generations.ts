import type { EventOf, SpillwayEvent } from '../../../src/index.js';
import type { Rule } from './rule.js';

/**
 * Only the end of an attempt that began in the present generation opens a breaker, a success that completes the
 * sample too; no more probes run at once than there are places.
 */
export const generations: Rule = (played) => {
  const { breaker } = played.options;
  if (breaker === undefined || breaker.observes !== 'attempts') return [];
  const watch = new Watch(breaker.probes.count);
  for (const event of played.events) watch.see(event);
  return watch.breaches;
};

class Watch {
  readonly breaches: string[] = [];
  readonly #places: number;
  /** Attempts admitted in the present generation that run. */
  readonly #running = new Set<string>();
  /** When one of them last ended with a result. */
  #resultAt = Number.NaN;
  #halfOpen = false;

  constructor(places: number) {
    this.#places = places;
  }

  see(event: SpillwayEvent): void {
    if (event.type === 'attempt.start') this.#start(event);
    else if (event.type === 'attempt.end') this.#end(event);
    else if (event.type === 'breaker.transition') this.#move(event);
  }

  #start(event: EventOf<'attempt.start'>): void {
    this.#running.add(`${event.id}/${event.attempt}`);
    if (this.#halfOpen && this.#running.size > this.#places)
      this.breaches.push(`${this.#running.size} probes at ${event.at}`);
  }

  #end({ id, attempt, result, at }: EventOf<'attempt.end'>): void {
    if (this.#running.delete(`${id}/${attempt}`) && result !== 'ignored') this.#resultAt = at;
  }

  #move({ to, at, from }: EventOf<'breaker.transition'>): void {
    if (to === 'open' && this.#resultAt !== at)
      this.breaches.push(`${from} -> open at ${at} by nothing of its own`);
    this.#halfOpen = to === 'half-open';
    this.#running.clear();
    this.#resultAt = Number.NaN;
  }
}
