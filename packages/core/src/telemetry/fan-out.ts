import type { Observer, SpillwayEvent } from './events.js';

/** Runs the work of an attempt, told by its operation's id and its number, and gives what it gives. */
export type Surround = <T>(id: number, attempt: number, work: () => T) => T;

/**
 * Where events leave the core. Emitters test `enabled` before they build an event, so an event nobody hears costs
 * one property read. An observer that throws, or is async and rejects, loses that event alone; the request never notices.
 */
export class FanOut {
  enabled = false;
  #observers: readonly Observer[] = [];
  /** Exceptions thrown by observers so far. */
  failures = 0;
  /** In whose midst the work of attempts runs: tracers that make it part of their context. */
  surround: Surround | undefined = undefined;
  #surrounds: readonly Surround[] = [];

  emit(event: SpillwayEvent): void {
    for (const observer of this.#observers) this.#tell(observer, event);
  }

  subscribe(observer: Observer): () => void {
    this.#set([...this.#observers, observer]);
    return () => this.#set(this.#observers.filter((other) => other !== observer));
  }

  /** Runs the work of every attempt inside `surround` from now on; returns the way to stop. */
  surroundWith(surround: Surround): () => void {
    this.#surroundBy([...this.#surrounds, surround]);
    return () => this.#surroundBy(this.#surrounds.filter((other) => other !== surround));
  }

  #surroundBy(surrounds: readonly Surround[]): void {
    this.#surrounds = surrounds;
    this.surround = surrounds.reduce<Surround | undefined>(nested, undefined);
  }

  /** Counts a failure that an observer met after its event: a disk that is full, a hook that throws. */
  observerFailed(error: unknown, at: number): void {
    this.failures++;
    if (this.enabled) this.emit({ type: 'observer.failed', at, error: String(error) });
  }

  #set(observers: readonly Observer[]): void {
    this.#observers = observers;
    this.enabled = observers.length > 0;
  }

  #tell(observer: Observer, event: SpillwayEvent): void {
    try {
      const told: unknown = observer(event);
      if (told === undefined) return;
      // an async one rejects where nobody listens, and would end the process
      if (isThenable(told)) told.then(undefined, (error: unknown) => this.#failed(observer, event, error));
    } catch (error) {
      this.#failed(observer, event, error);
    }
  }

  #failed(observer: Observer, event: SpillwayEvent, error: unknown): void {
    this.failures++;
    if (event.type === 'observer.failed') return;
    const failed: SpillwayEvent = { type: 'observer.failed', at: event.at, error: String(error) };
    for (const other of this.#observers) if (other !== observer) this.#tell(other, failed);
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null)?.then === 'function';
}

function nested(outer: Surround | undefined, inner: Surround): Surround {
  if (outer === undefined) return inner;
  return (id, attempt, work) => outer(id, attempt, () => inner(id, attempt, work));
}
