import type { DependencySnapshot, EventOf } from '@spillway/core';
import type { Moment } from '../messages.js';
import { Ring } from './ring.js';

/** How many moments are kept. */
const KEPT = 200;
/** A storm of transitions, of a thousand keys perhaps, is told by its last ones. */
const MOST_PER_TICK = 50;

/** What changed, and when. Transitions that no event told, because nobody listened, are found by looking. */
export class Timeline {
  readonly #kept: Ring<Moment> = new Ring(KEPT);
  #fresh: Moment[] = [];
  readonly #states: Map<string, string> = new Map();
  /** Numbers of faults in force, by dependency. */
  readonly #faults: Map<string, number> = new Map();

  add(moment: Moment): void {
    this.#fresh.push(moment);
    if (this.#fresh.length > MOST_PER_TICK) this.#fresh.shift();
  }

  /** What came since it was last asked; from now on among those of before. */
  takeFresh(): Moment[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    for (const moment of fresh) this.#kept.push(moment);
    return fresh;
  }

  /** Those of before, oldest first. */
  all(): Moment[] {
    return this.#kept.all();
  }

  changed({ dependency, key, from, to, openMs }: EventOf<'breaker.transition'>, at: number): void {
    if (this.#swap(dependency, key, to) === to) return;
    this.add({ at, dependency, kind: 'breaker', key, from, to, ...(openMs === undefined ? {} : { openMs }) });
  }

  evicted({ dependency, key }: EventOf<'breaker.evicted'>): void {
    this.#states.delete(`${dependency} ${key}`);
  }

  look({ name, breakers, faults }: DependencySnapshot, at: number): void {
    for (const { key, state } of breakers) {
      const before = this.#swap(name, key, state);
      if (before === state || (before === undefined && state === 'closed')) continue;
      this.add({ at, dependency: name, kind: 'breaker', key, from: before ?? 'closed', to: state });
    }
    const had = this.#faults.get(name) ?? 0;
    this.#faults.set(name, faults.length);
    if (had === faults.length) return;
    const text = faults.length > had ? 'a fault was injected' : 'an injected fault is gone';
    this.add({ at, dependency: name, kind: 'fault', text });
  }

  #swap(dependency: string, key: string, state: string): string | undefined {
    const id = `${dependency} ${key}`;
    const before = this.#states.get(id);
    this.#states.set(id, state);
    return before;
  }
}
