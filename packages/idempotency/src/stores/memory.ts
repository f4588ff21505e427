import { type Clock, systemClock } from '@spillway/core';
import type { BeginResult, ClaimRequest, KeyRecord, Step } from '../engine/machine.js';
import * as machine from '../engine/machine.js';
import type { IdempotencyStore } from '../engine/store.js';

export interface MemoryStoreOptions {
  /** Default: the system clock. */
  readonly clock?: Clock;
}

/** Keys in this process's memory: for tests and demos. A restart forgets them, a second process never sees them. */
export interface MemoryStore extends IdempotencyStore {
  /** Records held, expired ones not yet swept included. */
  readonly size: number;
  /** The record of a key, as stored. For tests. */
  peek(key: string): KeyRecord | undefined;
}

class MapStore implements MemoryStore {
  readonly kind = 'memory';
  readonly durable = false;
  readonly #clock: Clock;
  readonly #records = new Map<string, KeyRecord>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#records.size;
  }

  peek(key: string): KeyRecord | undefined {
    return this.#records.get(key);
  }

  async begin(key: string, claim: ClaimRequest): Promise<BeginResult> {
    return this.#step(key, (record, now) => machine.begin(record, claim, now));
  }

  async renew(key: string, token: string, leaseMs: number): Promise<boolean> {
    return this.#step(key, (record, now) => machine.renew(record, token, leaseMs, now));
  }

  async complete(key: string, token: string, answer: string | null): Promise<boolean> {
    return this.#step(key, (record, now) => machine.complete(record, token, answer, now));
  }

  async release(key: string, token: string): Promise<boolean> {
    return this.#step(key, (record, now) => machine.release(record, token, now));
  }

  async checkpoint(key: string, token: string, name: string, data: string): Promise<boolean> {
    return this.#step(key, (record, now) => machine.checkpoint(record, token, name, data, now));
  }

  async sweep(limit: number): Promise<number> {
    const now = this.#clock.now();
    let swept = 0;
    for (const [key, record] of this.#records) {
      if (swept === limit) break;
      if (machine.alive(record, now) !== undefined) continue;
      this.#records.delete(key);
      swept++;
    }
    return swept;
  }

  #step<R>(key: string, take: (record: KeyRecord | undefined, now: number) => Step<R>): R {
    const { record, result } = take(this.#records.get(key), this.#clock.now());
    if (record === undefined) this.#records.delete(key);
    else this.#records.set(key, record);
    return result;
  }
}

/** Makes a store for tests. The checker objects to it in production: it does not survive a restart. */
export function memoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new MapStore(options.clock ?? systemClock());
}
