import type { BeginResult, ClaimRequest } from './machine.js';
import type { TimeBox } from './time-box.js';

/**
 * Where keys live. Narrow on purpose: a store that passes the conformance suite of this package keeps every promise
 * of the engine. Each method is one round trip, decides and writes atomically, and measures by the store's own
 * clock, never by the process's.
 *
 * `box` bounds the wait. A method whose box is over has to give up without writing: `begin` must not take effect
 * later than `box.leftMs` from its start, on the store's clock, whatever queues the command waits in (C-085). The
 * other four are made harmless by the token.
 */
export interface IdempotencyStore {
  /** `memory`, `sqlite`, `redis`, `postgres`, or the name of your own. */
  readonly kind: string;
  /** Do records survive the end of the process? */
  readonly durable: boolean;
  begin(key: string, claim: ClaimRequest, box: TimeBox): Promise<BeginResult>;
  /** False: the token does not own the key any more. */
  renew(key: string, token: string, leaseMs: number, box: TimeBox): Promise<boolean>;
  complete(key: string, token: string, answer: string | null, box: TimeBox): Promise<boolean>;
  release(key: string, token: string, box: TimeBox): Promise<boolean>;
  checkpoint(key: string, token: string, name: string, data: string, box: TimeBox): Promise<boolean>;
  /** Deletes up to `limit` expired records and says how many; absent where the store expires them by itself. */
  sweep?(limit: number, box: TimeBox): Promise<number>;
}

/**
 * A store that can commit the answer together with the handler's own effect, in one transaction of the same
 * database: exactly-once for effects in it. `Tx` is what the work is given to write with.
 */
export interface TransactionalStore<Tx> extends IdempotencyStore {
  /**
   * Runs `work` in a transaction, stores the answer it gives in the same one, and commits. When the token does not
   * own the key any more, everything is rolled back and the result is `undefined`. What `work` throws rolls back
   * and is thrown.
   */
  transact<R>(
    key: string,
    token: string,
    work: (tx: Tx) => { answer: string | null; result: R } | Promise<{ answer: string | null; result: R }>,
    box: TimeBox,
  ): Promise<{ readonly result: R } | undefined>;
}

export function isTransactional(store: IdempotencyStore): store is TransactionalStore<unknown> {
  return typeof (store as Partial<TransactionalStore<unknown>>).transact === 'function';
}
