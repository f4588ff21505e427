import type { Observer, SpillwayEvent } from './events.js';

/**
 * Where events leave the core. Emitters test `enabled` before they build an event, so an event nobody hears costs
 * one property read. An observer that throws loses that event alone; the request never notices.
 */
export class FanOut {
  enabled = false;
  #observers: readonly Observer[] = [];
  /** Exceptions thrown by observers so far. */
  failures = 0;

  emit(event: SpillwayEvent): void {
    for (const observer of this.#observers) this.#tell(observer, event);
  }

  subscribe(observer: Observer): () => void {
    this.#set([...this.#observers, observer]);
    return () => this.#set(this.#observers.filter((other) => other !== observer));
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
      observer(event);
    } catch (error) {
      this.failures++;
      if (event.type === 'observer.failed') return;
      const failed: SpillwayEvent = { type: 'observer.failed', at: event.at, error: String(error) };
      for (const other of this.#observers) if (other !== observer) this.#tell(other, failed);
    }
  }
}
