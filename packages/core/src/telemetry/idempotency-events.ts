/** What every event of a request with an idempotency key names. */
interface OfKey {
  readonly at: number;
  /** The first 16 hex digits of the key's hash, never the key. */
  readonly key: string;
}

/**
 * What `@spillway/idempotency` tells: the observers of the spillway it is given, and its own `observe`. The engine
 * counts keys that it serves; keys that go out with calls to dependencies are events of those operations.
 */
export type IdempotencyEvent =
  /** How a request with a key was answered. `waitedMs`: under `wait`, what it waited for the first one. */
  | (OfKey & {
      readonly type: 'idempotency.begin';
      readonly decision: 'run' | 'replay' | 'not-stored' | 'in-progress' | 'mismatch';
      /** Number of this run of the key; 0 where nothing ran. */
      readonly attempt: number;
      readonly waitedMs: number;
    })
  /**
   * How a run ended. `completed`: its answer is stored. `released`: it is not, the key is free again. `stale`: the
   * lease had lapsed and the key has a new owner; nothing was changed. `unsaved`: the store did not take it in time.
   */
  | (OfKey & {
      readonly type: 'idempotency.end';
      readonly outcome: 'completed' | 'released' | 'stale' | 'unsaved';
      readonly durationMs: number;
    })
  /** The lease of a running handler lapsed, and another run took its key over. */
  | (OfKey & { readonly type: 'idempotency.lost' })
  /** The store failed, or did not answer in time. `key` is empty for `sweep`. */
  | (OfKey & {
      readonly type: 'idempotency.store-error';
      readonly operation: 'begin' | 'renew' | 'complete' | 'release' | 'checkpoint' | 'sweep' | 'transact';
      readonly timeout: boolean;
      readonly error: string;
    })
  | { readonly type: 'idempotency.swept'; readonly at: number; readonly records: number };
