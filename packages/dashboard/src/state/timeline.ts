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
  readonly #known: Map<string, Map<string, Standing>> = new Map();
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
    const known = this.#known.get(dependency) ?? new Map<string, Standing>();
    if (known.get(key)?.state === to) return;
    this.#known.set(dependency, known.set(key, { state: to, since: at }));
    this.add({ at, dependency, kind: 'breaker', key, from, to, ...(openMs === undefined ? {} : { openMs }) });
  }

  evicted({ dependency, key }: EventOf<'breaker.evicted'>): void {
    this.#known.get(dependency)?.delete(key);
  }

  look({ name, breakers, faults }: DependencySnapshot, at: number): void {
    const before = this.#known.get(name);
    // made anew each time: breakers that were forgotten are forgotten here too
    const known = new Map<string, Standing>();
    for (const { key, state } of breakers) {
      const standing = before?.get(key) ?? NEW;
      if (standing.state !== state)
        this.add({ at, dependency: name, kind: 'breaker', key, from: standing.state, to: state });
      known.set(key, standing.state === state ? standing : { state, since: at });
    }
    this.#known.set(name, known);
    const had = this.#faults.get(name) ?? 0;
    this.#faults.set(name, faults.length);
    if (had === faults.length) return;
    const text = faults.length > had ? 'a fault was injected' : 'an injected fault is gone';
    this.add({ at, dependency: name, kind: 'fault', text });
  }

  /** Since when a breaker is in its state, by the wall clock; undefined when it always was. */
  since(dependency: string, key: string): number | undefined {
    return this.#known.get(dependency)?.get(key)?.since;
  }
}

/** A breaker's state, and since when it is in it. */
interface Standing {
  readonly state: string;
  readonly since: number | undefined;
}

const NEW: Standing = { state: 'closed', since: undefined };
