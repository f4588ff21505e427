import type { Claim } from './claim.js';
import type { IdempotencyStore, TransactionalStore } from './store.js';
import type { StoreAccess } from './store-access.js';

export interface RunOptions {
  /** Whose key it is; equal keys of different scopes are different work. Default: one scope for all. */
  readonly scope?: string;
}

export type RunResult<T> =
  | { readonly replayed: false; readonly stored: true; readonly value: T; readonly attempt: number }
  | { readonly replayed: true; readonly stored: true; readonly value: T }
  /** Done before, but what it returned was larger than `maxStoredBody`. */
  | { readonly replayed: true; readonly stored: false; readonly value: undefined };

/** What a store's transactions are written with; never for stores without. */
export type TxOf<S> = S extends TransactionalStore<infer Tx> ? Tx : never;

/** What the work of one key knows about its run. */
export interface RunContext<S extends IdempotencyStore = IdempotencyStore> {
  /** 1-based: runs of this key so far, this one included. */
  readonly attempt: number;
  /** An earlier run never ended: look at the checkpoints before doing anything twice. */
  readonly recovered: boolean;
  /** Aborts when another run has taken the key over because the lease of this one lapsed. */
  readonly signal: AbortSignal;
  /** Notes durably, as JSON, that a part of the work is done (C-080). @throws when it could not be noted */
  checkpoint(name: string, data?: unknown): Promise<void>;
  /** What was noted under that name by this or an earlier run; undefined when nothing was. */
  saved(name: string): unknown;
  /**
   * Runs `work` in a transaction of the store's own database and commits its value as the answer of this key in the
   * same transaction: the effect and the record happen together or not at all. For `sqliteStore`, `work` has to be
   * synchronous. Call it once, and return what it returns.
   * @throws when the key is lost: then the effect is rolled back
   */
  transaction<T>(work: (tx: TxOf<S>) => T | Promise<T>): Promise<T>;
}

export function runContext<S extends IdempotencyStore>(claim: Claim, access: StoreAccess): RunContext<S> {
  return {
    attempt: claim.attempt,
    recovered: claim.recovered,
    get signal() {
      return claim.signal;
    },
    checkpoint: (name, data) => claim.checkpoint(name, data),
    saved: (name) => claim.saved(name),
    transaction: (work) =>
      commitWith(claim, access, work as (tx: unknown) => never, (value) => JSON.stringify({ value })),
  };
}

/** Runs `work` in the store's transaction and ends the claim with it. */
export async function commitWith<T>(
  claim: Claim,
  access: StoreAccess,
  work: (tx: unknown) => T | Promise<T>,
  encode: (value: T) => string | null,
): Promise<T> {
  const done = await access.transact(claim.key, claim.token, (tx) => encoded(work(tx), encode));
  claim.committed(done === undefined);
  if (done !== undefined) return done.result;
  throw new Error('the idempotency key was taken over by another run: the transaction was rolled back');
}

/** Stays synchronous where the work is: an SQLite transaction cannot wait. */
function encoded<T>(
  value: T | Promise<T>,
  encode: (value: T) => string | null,
): { answer: string | null; result: T } | Promise<{ answer: string | null; result: T }> {
  if (isPromise(value)) return value.then((result) => ({ answer: encode(result), result }));
  return { answer: encode(value), result: value };
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
