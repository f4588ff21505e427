/** What the engine tells `observe`. Keys appear as the first 16 hex digits of their hash, never as they are. */
export type IdempotencyEvent =
  /** How a request with a key was answered. `waitedMs`: under `wait`, what it waited for the first one. */
  | {
      readonly type: 'idempotency.begin';
      readonly at: number;
      readonly key: string;
      readonly decision: 'run' | 'replay' | 'not-stored' | 'in-progress' | 'mismatch';
      readonly attempt: number;
      readonly waitedMs: number;
    }
  /**
   * How a run ended. `completed`: its answer is stored. `released`: it is not, the key is free again. `stale`: the
   * lease had lapsed and the key has a new owner; nothing was changed. `unsaved`: the store did not take it in time.
   */
  | {
      readonly type: 'idempotency.end';
      readonly at: number;
      readonly key: string;
      readonly outcome: 'completed' | 'released' | 'stale' | 'unsaved';
      readonly durationMs: number;
    }
  /** A running handler's key was taken over by another run. */
  | { readonly type: 'idempotency.lost'; readonly at: number; readonly key: string }
  | {
      readonly type: 'idempotency.store-error';
      readonly at: number;
      readonly key: string;
      readonly operation: 'begin' | 'renew' | 'complete' | 'release' | 'checkpoint' | 'sweep' | 'transact';
      readonly timeout: boolean;
      readonly error: unknown;
    }
  | { readonly type: 'idempotency.swept'; readonly at: number; readonly records: number };

export type IdempotencyObserver = (event: IdempotencyEvent) => void;
