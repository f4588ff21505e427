import type { Clock, FanOut, IdempotencyEvent } from '@spillway/core';
import type { IdempotencyObserver } from './events.js';
import { shownKey } from './hash.js';
import type { BeginResult, ClaimRequest } from './machine.js';
import type { ResolvedEngine } from './options.js';
import { isTransactional } from './store.js';
import { StoreTimeout, type TimeBox, within } from './time-box.js';

type StoreOperation = Extract<IdempotencyEvent, { type: 'idempotency.store-error' }>['operation'];

/** The store, with every wait bounded and every failure told. */
export class StoreAccess {
  readonly clock: Clock;
  readonly leaseMs: number;
  /** Exceptions thrown by `observe` so far: they never reach a request. */
  observerFailures = 0;
  readonly #options: ResolvedEngine;
  readonly #observe: IdempotencyObserver | undefined;
  readonly #events: FanOut | undefined;

  constructor(options: ResolvedEngine) {
    this.#options = options;
    this.#observe = options.observe;
    this.#events = options.events;
    this.clock = options.clock;
    this.leaseMs = options.leaseMs;
  }

  /** True when somebody listens: only then are events built. */
  get heard(): boolean {
    return this.#observe !== undefined || this.#events?.enabled === true;
  }

  emit(event: IdempotencyEvent): void {
    try {
      this.#observe?.(event);
    } catch {
      this.observerFailures++;
    }
    if (this.#events?.enabled === true) this.#events.emit(event);
  }

  /** Rejects in time. A claim that succeeds after that is taken back, so that nobody waits for a lease without owner. */
  begin(key: string, claim: ClaimRequest): Promise<BeginResult> {
    const { store } = this.#options;
    const takeBack = (result: BeginResult): void => {
      if (result.kind === 'run') void this.release(key, claim.token).catch(told);
    };
    return this.#ask('begin', key, (box) => store.begin(key, claim, box), takeBack);
  }

  renew(key: string, token: string): Promise<boolean> {
    const { store, leaseMs } = this.#options;
    return this.#ask('renew', key, (box) => store.renew(key, token, leaseMs, box));
  }

  complete(key: string, token: string, answer: string | null): Promise<boolean> {
    return this.#ask('complete', key, (box) => this.#options.store.complete(key, token, answer, box));
  }

  release(key: string, token: string): Promise<boolean> {
    return this.#ask('release', key, (box) => this.#options.store.release(key, token, box));
  }

  checkpoint(key: string, token: string, name: string, data: string): Promise<boolean> {
    return this.#ask('checkpoint', key, (box) => this.#options.store.checkpoint(key, token, name, data, box));
  }

  /** @throws TypeError where the store has no transactions */
  transact<R>(
    key: string,
    token: string,
    work: (
      tx: unknown,
    ) => { answer: string | null; result: R } | Promise<{ answer: string | null; result: R }>,
  ): Promise<{ readonly result: R } | undefined> {
    const { store, transactionTimeoutMs } = this.#options;
    if (!isTransactional(store)) {
      throw new TypeError(`the ${store.kind} store has no transactions; use sqliteStore or postgresStore`);
    }
    return within(this.clock, transactionTimeoutMs, (box) => store.transact(key, token, work, box));
  }

  async sweep(limit: number): Promise<number> {
    const { store } = this.#options;
    if (store.sweep === undefined) return 0;
    return this.#ask('sweep', '', (box) => (store.sweep === undefined ? none() : store.sweep(limit, box)));
  }

  async #ask<T>(
    operation: StoreOperation,
    key: string,
    ask: (box: TimeBox) => Promise<T>,
    late?: (value: T) => void,
  ): Promise<T> {
    try {
      return await within(this.clock, this.#options.storeTimeoutMs, ask, late);
    } catch (error) {
      if (this.heard) {
        const timeout = error instanceof StoreTimeout;
        const shown = key === '' ? '' : shownKey(key);
        this.emit({
          type: 'idempotency.store-error',
          at: this.clock.now(),
          key: shown,
          operation,
          timeout,
          error: String(error),
        });
      }
      throw error;
    }
  }
}

async function none(): Promise<number> {
  return 0;
}

/** For calls nobody awaits: their failure has been emitted, and the lease covers what it leaves behind. */
export function told(): void {}
