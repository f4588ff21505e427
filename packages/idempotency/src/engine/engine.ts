import { randomUUID } from 'node:crypto';
import { spillwayError } from '@spillway/core';
import { Claim } from './claim.js';
import { fingerprintOf, shownKey, storeKey } from './hash.js';
import type { BeginResult } from './machine.js';
import { type EngineOptions, type ResolvedEngine, resolveEngine } from './options.js';
import { type RunContext, type RunOptions, type RunResult, runContext } from './run.js';
import type { IdempotencyStore } from './store.js';
import { StoreAccess } from './store-access.js';
import { Sweeper, sweepAll } from './sweeper.js';
import { pause } from './time-box.js';

/** First and longest pause between two looks at a key that is in progress. Ms. */
const FIRST_LOOK_MS = 10;
const LAST_LOOK_MS = 250;
/** Retry-After where the store was away. */
const STORE_RETRY_AFTER_MS = 1000;

export type Decision =
  | { readonly kind: 'run'; readonly claim: Claim }
  | { readonly kind: 'replay'; readonly answer: string | null }
  | { readonly kind: 'in-progress'; readonly leaseLeftMs: number }
  | { readonly kind: 'mismatch' };

/** Does work once per key: the engine under the middleware, and by itself for what is no HTTP request. */
export interface Idempotency<S extends IdempotencyStore = IdempotencyStore> {
  readonly store: S;
  /**
   * Runs `work` unless this key has been done: then it gives what `work` returned the first time. For a consumer's
   * inbox, a job, a webhook. The value must survive JSON. What `work` throws is thrown, and frees the key.
   * @param key not empty; together with `options.scope` it names the work
   * @param payload what the work depends on: the same key with another payload is refused
   * @throws ERR_IDEMPOTENCY_IN_PROGRESS while another run has the key (with `retryAfterMs`), ERR_IDEMPOTENCY_MISMATCH
   *   for another payload, ERR_IDEMPOTENCY_STORE_UNAVAILABLE when the store did not answer in time
   */
  run<T>(
    key: string,
    payload: unknown,
    work: (context: RunContext<S>) => T | Promise<T>,
    options?: RunOptions,
  ): Promise<RunResult<T>>;
  /** Deletes all expired records now, in small batches; how many. 0 where the store expires them by itself. */
  sweep(): Promise<number>;
  /** Stops the sweeper. Running work goes on and ends as usual; the store stays open. */
  close(): void;
}

/** The engine as the HTTP layers use it. */
export class Engine<S extends IdempotencyStore = IdempotencyStore> implements Idempotency<S> {
  readonly options: ResolvedEngine<S>;
  readonly access: StoreAccess;
  readonly #sweeper: Sweeper;
  readonly #tokens: () => string;

  constructor(options: EngineOptions<S>) {
    this.options = resolveEngine(options);
    this.access = new StoreAccess(this.options);
    this.#sweeper = new Sweeper(
      this.access,
      this.options.store.sweep === undefined ? 0 : this.options.sweepEveryMs,
    );
    this.#tokens = options.tokens ?? randomUUID;
  }

  get store(): S {
    return this.options.store;
  }

  /**
   * Decides what to do with a key, waiting up to `waitMs` for one that is in progress, and no longer than `isOver`
   * says no. @throws the store's error
   */
  async begin(
    key: string,
    fingerprint: string,
    waitMs: number,
    ttlMs: number,
    isOver: () => boolean = never,
  ): Promise<Decision> {
    const { clock, leaseMs } = this.options;
    const startedAt = clock.now();
    let lookMs = FIRST_LOOK_MS;
    for (;;) {
      const token = this.#tokens();
      const result = await this.access.begin(key, { fingerprint, token, leaseMs, ttlMs });
      const waitedMs = clock.now() - startedAt;
      const leftMs = waitMs - waitedMs;
      if (result.kind !== 'in-progress' || leftMs <= 0 || isOver())
        return this.#decided(key, token, result, waitedMs);
      await pause(clock, Math.min(lookMs, leftMs, Math.max(1, result.leaseLeftMs)));
      lookMs = Math.min(LAST_LOOK_MS, lookMs * 1.5);
    }
  }

  #decided(key: string, token: string, result: BeginResult, waitedMs: number): Decision {
    if (this.access.heard) {
      const notStored = result.kind === 'replay' && result.answer === null;
      this.access.emit({
        type: 'idempotency.begin',
        at: this.options.clock.now(),
        key: shownKey(key),
        decision: notStored ? 'not-stored' : result.kind,
        attempt: result.kind === 'run' ? result.attempt : 0,
        waitedMs,
      });
    }
    if (result.kind !== 'run') return result;
    this.#sweeper.wake();
    return { kind: 'run', claim: new Claim(this.access, key, token, result.attempt, result.checkpoints) };
  }

  async run<T>(
    key: string,
    payload: unknown,
    work: (context: RunContext<S>) => T | Promise<T>,
    options: RunOptions = {},
  ): Promise<RunResult<T>> {
    if (key === '') throw new TypeError('run: the key is empty; give the text that names this piece of work');
    const decision = await this.#decide(key, payload, options);
    switch (decision.kind) {
      case 'run':
        return this.#work(decision.claim, work);
      case 'replay':
        return replayed(decision.answer);
      case 'in-progress':
        throw inProgress(decision.leaseLeftMs);
      case 'mismatch':
        throw mismatch();
    }
  }

  async #decide(key: string, payload: unknown, options: RunOptions): Promise<Decision> {
    const name = storeKey(options.scope ?? 'run', key);
    const text = payload instanceof Uint8Array ? payload : (JSON.stringify(payload) ?? '');
    try {
      return await this.begin(name, fingerprintOf([text]), this.options.waitMs, this.options.ttlMs);
    } catch (error) {
      throw unavailable(error);
    }
  }

  async #work<T>(claim: Claim, work: (context: RunContext<S>) => T | Promise<T>): Promise<RunResult<T>> {
    const context = runContext<S>(claim, this.access);
    let value: T;
    try {
      value = await work(context);
    } catch (error) {
      await claim.release();
      throw error;
    }
    await this.#keep(claim, value);
    return { replayed: false, stored: true, value, attempt: claim.attempt };
  }

  /** @throws what JSON throws for a value it cannot hold; the work is done all the same, and not done again */
  async #keep(claim: Claim, value: unknown): Promise<void> {
    let text: string | null = null;
    try {
      text = this.#kept(value);
    } finally {
      await claim.complete(text);
    }
  }

  #kept(value: unknown): string | null {
    const text = JSON.stringify({ value });
    return Buffer.byteLength(text) > this.options.maxStoredBody ? null : text;
  }

  sweep(): Promise<number> {
    return sweepAll(this.access);
  }

  close(): void {
    this.#sweeper.close();
  }
}

function never(): boolean {
  return false;
}

function replayed<T>(answer: string | null): RunResult<T> {
  if (answer === null) return { replayed: true, stored: false, value: undefined };
  const { value } = JSON.parse(answer) as { value: T };
  return { replayed: true, stored: true, value };
}

function inProgress(leaseLeftMs: number): Error {
  return spillwayError(
    'ERR_IDEMPOTENCY_IN_PROGRESS',
    'A request with this Idempotency-Key is still being processed. Send it again, unchanged, after Retry-After.',
    { retryAfterMs: leaseLeftMs },
  );
}

function mismatch(): Error {
  return spillwayError(
    'ERR_IDEMPOTENCY_MISMATCH',
    'This Idempotency-Key was used for another request: method, path, query, content type or body differ. Use a new key.',
  );
}

function unavailable(cause: unknown): Error {
  return spillwayError(
    'ERR_IDEMPOTENCY_STORE_UNAVAILABLE',
    'The idempotency store did not answer in time. Nothing was done.',
    { retryAfterMs: STORE_RETRY_AFTER_MS, sent: 'no', cause },
  );
}

/** Makes an engine on a store. @throws ERR_CONFIG naming the option that is wrong */
export function createIdempotency<S extends IdempotencyStore>(options: EngineOptions<S>): Idempotency<S> {
  return new Engine(options);
}
