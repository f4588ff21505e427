import {
  type Clock,
  type Duration,
  type FanOut,
  parseDuration,
  spillwayError,
  systemClock,
} from '@spillway/core';
import type { IdempotencyObserver } from './events.js';
import type { IdempotencyStore } from './store.js';

/** What the engine needs of a spillway. */
export interface EventHome {
  readonly events: FanOut;
  readonly clock: Clock;
}

export interface EngineOptions<S extends IdempotencyStore = IdempotencyStore> {
  readonly store: S;
  /**
   * A running handler's key is its own for this long, renewed at a third of it. 100 ms or more. Default 30 s, or
   * `ttl` where that is shorter.
   */
  readonly lease?: Duration;
  /** Life of a record, from its claim on; at least the longest time over which callers retry. Default 24 h. */
  readonly ttl?: Duration;
  /** Longest wait for the store, whatever it does (D6). 1 ms or more. Default 100 ms. */
  readonly storeTimeout?: Duration;
  /** Time a transaction with the handler's own effect may take. Default 5 s. */
  readonly transactionTimeout?: Duration;
  /** Wait up to this long for a running first request and replay its answer, instead of refusing. Default: refuse. */
  readonly wait?: false | Duration;
  /** Answers larger than this are not kept: their duplicates are told so. Bytes. Default 262,144. */
  readonly maxStoredBody?: number;
  /** Between two sweeps of expired records. Default 1 min. `false`: call `sweep()` yourself. */
  readonly sweepEvery?: false | Duration;
  /** Hears the events of this engine alone. */
  readonly observe?: IdempotencyObserver;
  /** Its observers hear the events too, and its clock is the default. */
  readonly spillway?: EventHome;
  /** Default: the spillway's, else the system clock. */
  readonly clock?: Clock;
  /** Makes fencing tokens; each must be unlike all others. Default: random UUIDs. */
  readonly tokens?: () => string;
}

export interface ResolvedEngine<S extends IdempotencyStore = IdempotencyStore> {
  readonly store: S;
  readonly leaseMs: number;
  readonly ttlMs: number;
  readonly storeTimeoutMs: number;
  readonly transactionTimeoutMs: number;
  readonly waitMs: number;
  readonly maxStoredBody: number;
  readonly sweepEveryMs: number;
  readonly clock: Clock;
  readonly observe: IdempotencyObserver | undefined;
  /** Where the spillway's observers listen. */
  readonly events: FanOut | undefined;
}

const MAX_STORED_BODY = 262_144;

/** Fills in defaults. @throws ERR_CONFIG naming the option, its value and its range */
export function resolveEngine<S extends IdempotencyStore>(options: EngineOptions<S>): ResolvedEngine<S> {
  const { store, observe, spillway } = options;
  if (typeof (store as Partial<IdempotencyStore> | undefined)?.begin !== 'function') {
    throw spillwayError(
      'ERR_CONFIG',
      'store: give an idempotency store, such as sqliteStore(db) of @spillway/idempotency/sqlite.',
    );
  }
  const leaseMs =
    options.lease === undefined ? defaultLease(options) : ranged(options.lease, 'lease', 100, 86_400_000);
  const wait = options.wait ?? false;
  const sweepEvery = options.sweepEvery ?? 60_000;
  return {
    store,
    leaseMs,
    ttlMs: ranged(options.ttl ?? 86_400_000, 'ttl', leaseMs, Number.MAX_SAFE_INTEGER),
    storeTimeoutMs: ranged(options.storeTimeout ?? Math.min(100, leaseMs), 'storeTimeout', 1, leaseMs),
    transactionTimeoutMs: ranged(options.transactionTimeout ?? 5_000, 'transactionTimeout', 1, 86_400_000),
    waitMs: wait === false ? 0 : ranged(wait, 'wait', 0, 86_400_000),
    maxStoredBody: whole(options.maxStoredBody ?? MAX_STORED_BODY, 'maxStoredBody'),
    sweepEveryMs: sweepEvery === false ? 0 : ranged(sweepEvery, 'sweepEvery', 1, 86_400_000),
    clock: options.clock ?? spillway?.clock ?? systemClock(),
    observe,
    events: spillway?.events,
  };
}

/** A default gives way to what was written. */
function defaultLease({ ttl }: EngineOptions): number {
  return ttl === undefined ? 30_000 : Math.min(30_000, ranged(ttl, 'ttl', 1, Number.MAX_SAFE_INTEGER));
}

export function ranged(value: Duration, option: string, leastMs: number, mostMs: number): number {
  const ms = parseDuration(value);
  if (ms !== undefined && ms >= leastMs && ms <= mostMs) return ms;
  const range = `Give ${leastMs} to ${mostMs} ms, or digits with a unit: '400ms', '2s', '1h'.`;
  throw spillwayError('ERR_CONFIG', `${option}: ${String(value)} is no duration, or out of range. ${range}`);
}

export function whole(value: number, option: string): number {
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw spillwayError(
    'ERR_CONFIG',
    `${option}: ${value} is no size. Give a whole number of bytes, 0 or more.`,
  );
}
