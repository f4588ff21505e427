import { randomUUID } from 'node:crypto';
import {
  type Clock,
  type Duration,
  type Random,
  seededRandom,
  spillwayError,
  systemClock,
} from '@spillway/core';
import { ranged, whole } from '../engine/options.js';
import { type Deferred, deferredOf } from './deferred.js';
import { type Deliver, fetchDelivery } from './delivery.js';
import { Dispatcher } from './dispatcher.js';
import type { OutboxSpillway } from './outbox-spillway.js';
import type { ListQuery, OutboxRequest, OutboxStore, OutboxWrite } from './outbox-store.js';
import { type ScheduleConfig, scheduleOf } from './schedule.js';

export interface OutboxOptions {
  readonly store: OutboxStore;
  /** Writes go out under its dependencies' policies, and when a breaker closes what waits for it is due. */
  readonly spillway: OutboxSpillway;
  /** How a write is sent. Default: fetch, to its path under the dependency's `baseUrl`. */
  readonly deliver?: Deliver;
  readonly schedule?: ScheduleConfig;
  /** Attempts until a write becomes a dead letter; refusals by an open breaker are none. Default 20. */
  readonly attempts?: number;
  /** Writes that may wait; further ones are refused. Default 10,000. */
  readonly capacity?: number;
  /** Writes sent at a time by this process. Default 4. */
  readonly concurrent?: number;
  /** A write being sent is this worker's for so long, renewed at a third of it. Default 30 s. */
  readonly lease?: Duration;
  /** Between two looks for writes that are due. Default 250 ms. */
  readonly every?: Duration;
  /** How long `status` remembers a write that was delivered. Default 24 h. */
  readonly keepDone?: Duration;
  /** Where `location` points; the id is put behind it. Default `/outbox/`. */
  readonly statusPath?: string;
  /** Told when the store fails; what was due is tried again. Default: a process warning. */
  readonly onStoreError?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: Random;
}

/** A request to defer. */
export interface DeferRequest {
  /** Default POST. */
  readonly method?: string;
  /** Under the dependency's `baseUrl`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is. */
  readonly body?: string;
  /** Sent as JSON, in place of `body`. */
  readonly json?: unknown;
  /**
   * The operation's Idempotency-Key, the one its failed attempts were sent with: they may have arrived. Default: a
   * fresh one, for operations that were never sent.
   */
  readonly key?: string;
  /** Writes with the same text, as an account, are sent one at a time and in order. Default: the key. */
  readonly order?: string;
}

/** Writes that wait for a dependency to recover, durably. */
export interface Outbox {
  /**
   * A fallback that stores the write and answers with where its fate can be read:
   * `dependency('bank').call(work, { idempotencyKey: key, fallback: outbox.defer('bank', { path: 'v1/charges', json, key }) })`.
   */
  defer(dependency: string, request: DeferRequest): () => Promise<Deferred>;
  /**
   * The same at once. The same dependency and key again gives the write that is there.
   * @throws ERR_OVERLOADED (503) when `capacity` writes wait, ERR_IDEMPOTENCY_MISMATCH for another request under the key
   */
  add(dependency: string, request: DeferRequest): Promise<Deferred>;
  /** Starts sending what is due. Until `stop`, it keeps no process alive while nothing is being sent. */
  start(): void;
  /** Sends nothing new; resolves when what is being sent has ended. */
  stop(): Promise<void>;
  /** What became of a write; undefined: unknown, or delivered long ago. */
  status(id: string): Promise<Deferred | undefined>;
  list(query?: ListQuery): Promise<readonly OutboxWrite[]>;
  /** A dead letter waits again, with fresh attempts. */
  retry(id: string): Promise<boolean>;
  /** Forgets a write that is not being sent; writes behind it in its order go on. */
  drop(id: string): Promise<boolean>;
}

class DurableOutbox implements Outbox {
  readonly #store: OutboxStore;
  readonly #spillway: OutboxSpillway;
  readonly #dispatcher: Dispatcher;
  readonly #capacity: number;
  readonly #statusPath: string;
  #unsubscribe: (() => void) | undefined;

  constructor(options: OutboxOptions) {
    const { store, spillway, clock = systemClock() } = options;
    this.#store = store;
    this.#spillway = spillway;
    this.#capacity = whole(options.capacity ?? 10_000, 'capacity');
    this.#statusPath = options.statusPath ?? '/outbox/';
    this.#dispatcher = new Dispatcher({
      store,
      spillway,
      deliver: options.deliver ?? fetchDelivery((name) => baseUrlOf(spillway, name)),
      schedule: scheduleOf(options.schedule ?? {}, options.random ?? seededRandom(clock.wall())),
      attempts: options.attempts ?? 20,
      concurrent: options.concurrent ?? 4,
      leaseMs: ranged(options.lease ?? 30_000, 'lease', 100, 86_400_000),
      everyMs: ranged(options.every ?? 250, 'every', 1, 3_600_000),
      keepDoneMs: ranged(options.keepDone ?? 86_400_000, 'keepDone', 0, Number.MAX_SAFE_INTEGER),
      clock,
      onStoreError: options.onStoreError ?? warn,
    });
  }

  defer(dependency: string, request: DeferRequest): () => Promise<Deferred> {
    return () => this.add(dependency, request);
  }

  async add(dependency: string, request: DeferRequest): Promise<Deferred> {
    // Throws for a name nobody configured: better now than when it is sent.
    this.#spillway.dependency(dependency);
    const key = request.key ?? randomUUID();
    const lane = request.order ?? key;
    const plain = plainRequest(request);
    const result = await this.#store.add(
      { id: randomUUID(), dependency, key, lane, request: plain },
      this.#capacity,
    );
    if (result === 'full') {
      const message = `The outbox is full: ${this.#capacity} writes wait (capacity).`;
      throw spillwayError('ERR_OVERLOADED', message, { dependency, retryAfterMs: 1000 });
    }
    const { write, added } = result;
    if (!added && JSON.stringify(write.request) !== JSON.stringify(plain)) {
      throw spillwayError('ERR_IDEMPOTENCY_MISMATCH', 'Another request waits in the outbox under this key.', {
        dependency,
      });
    }
    this.#dispatcher.wake();
    return deferredOf(write, this.#statusPath);
  }

  start(): void {
    if (this.#unsubscribe !== undefined) return;
    this.#unsubscribe = this.#spillway.subscribe((event) => {
      if (event.type === 'breaker.transition' && event.to === 'closed')
        this.#dispatcher.recovered(event.dependency);
    });
    this.#dispatcher.start();
  }

  stop(): Promise<void> {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    return this.#dispatcher.stop();
  }

  async status(id: string): Promise<Deferred | undefined> {
    const write = await this.#store.get(id);
    return write === undefined ? undefined : deferredOf(write, this.#statusPath);
  }

  list(query: ListQuery = {}): Promise<readonly OutboxWrite[]> {
    return this.#store.list(query);
  }

  async retry(id: string): Promise<boolean> {
    const done = await this.#store.retry(id);
    this.#dispatcher.wake();
    return done;
  }

  async drop(id: string): Promise<boolean> {
    const done = await this.#store.drop(id);
    this.#dispatcher.wake();
    return done;
  }
}

function warn(error: unknown): void {
  process.emitWarning(`the store of the outbox failed: ${String(error)}`, 'SpillwayOutbox');
}

function baseUrlOf(spillway: OutboxSpillway, name: string): string | undefined {
  const { baseUrl } = spillway.dependency(name).options;
  return baseUrl === undefined ? undefined : String(baseUrl);
}

function plainRequest({ method = 'POST', path, headers = {}, body, json }: DeferRequest): OutboxRequest {
  const lower: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value;
  if (json === undefined) return { method, path, headers: lower, body };
  lower['content-type'] ??= 'application/json';
  return { method, path, headers: lower, body: JSON.stringify(json) };
}

/** Makes an outbox; `start()` it in every process that shall send. @throws ERR_CONFIG for wrong options */
export function createOutbox(options: OutboxOptions): Outbox {
  return new DurableOutbox(options);
}
