/** A write as it waits: everything that is needed to send it, in another process too. */
export interface OutboxRequest {
  readonly method: string;
  /** Under the dependency's `baseUrl`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text; undefined for none. */
  readonly body: string | undefined;
}

/**
 * `waiting`: to be sent when it is due. `sending`: a worker has it. `done`: the dependency answered. `dead`: given up
 * on; `retry` or `drop` it.
 */
export type WriteState = 'waiting' | 'sending' | 'done' | 'dead';

export interface OutboxWrite {
  readonly id: string;
  readonly dependency: string;
  /** Its Idempotency-Key: the same on every attempt, so the dependency carries it out once. */
  readonly key: string;
  /** Writes of one lane are sent one at a time, in the order in which they were deferred. */
  readonly lane: string;
  readonly request: OutboxRequest;
  readonly state: WriteState;
  /** Times it was sent. */
  readonly attempts: number;
  /** The dependency's last status, where it answered. */
  readonly status: number | undefined;
  /** Why it was not delivered, last time. */
  readonly error: string | undefined;
  /** Ms since the epoch, by the store's clock. */
  readonly deferredAt: number;
}

/** A write that this worker has, until its lease lapses. */
export interface ClaimedWrite extends OutboxWrite {
  /** Fencing token. */
  readonly token: string;
}

/** What became of an attempt. */
export type Settlement =
  | { readonly kind: 'done'; readonly status: number | undefined }
  | { readonly kind: 'dead'; readonly status: number | undefined; readonly error: string }
  /** `counted` false: it was not sent at all. */
  | {
      readonly kind: 'later';
      readonly afterMs: number;
      readonly counted: boolean;
      readonly status: number | undefined;
      readonly error: string;
    };

export interface NewWrite {
  readonly id: string;
  readonly dependency: string;
  readonly key: string;
  readonly lane: string;
  readonly request: OutboxRequest;
}

export interface ListQuery {
  readonly state?: WriteState;
  readonly dependency?: string;
  /** Default 100, at most 1000. */
  readonly limit?: number;
}

/** Where deferred writes live. What a worker claimed and did not settle is another's once its lease has lapsed. */
export interface OutboxStore {
  /** Stores a write; one with this dependency and key that is there already is given back instead. */
  add(
    write: NewWrite,
    capacity: number,
  ): Promise<{ readonly write: OutboxWrite; readonly added: boolean } | 'full'>;
  /** Up to `limit` writes that are due and first in their lanes, none of the dependencies in `except`. */
  claim(
    token: string,
    leaseMs: number,
    limit: number,
    except: readonly string[],
  ): Promise<readonly ClaimedWrite[]>;
  /** False: the write is another worker's. */
  renew(write: ClaimedWrite, leaseMs: number): Promise<boolean>;
  settle(write: ClaimedWrite, settlement: Settlement): Promise<boolean>;
  get(id: string): Promise<OutboxWrite | undefined>;
  list(query: ListQuery): Promise<readonly OutboxWrite[]>;
  /** A dead write waits again, with fresh attempts. False: it is not dead. */
  retry(id: string): Promise<boolean>;
  /** Forgets a write that is not being sent. False: it is, or there is none. */
  drop(id: string): Promise<boolean>;
  /** Everything of a dependency that waits is due now. */
  hurry(dependency: string): Promise<void>;
  /** Forgets writes done longer ago than `ageMs`, up to `limit`; how many. */
  sweep(ageMs: number, limit: number): Promise<number>;
}
