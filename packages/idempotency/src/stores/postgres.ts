import { type Clock, systemClock } from '@spillway/core';
import type { BeginResult, Checkpoints, ClaimRequest } from '../engine/machine.js';
import type { TransactionalStore } from '../engine/store.js';
import type { TimeBox } from '../engine/time-box.js';
import { type PgClient, type PgPool, type PgResult, withClient } from './postgres-pool.js';
import { type PostgresSql, postgresMigrationSql, postgresSql } from './postgres-sql.js';
import { ServerTime } from './server-time.js';

export type { PgClient, PgPool, PgResult } from './postgres-pool.js';
export { postgresMigrationSql } from './postgres-sql.js';

export interface PostgresStoreOptions {
  /** Default `spillway_idempotency`. Letters, digits and underscores. */
  readonly table?: string;
  /** Measures round trips. Default: the system clock. */
  readonly clock?: Clock;
}

/** Keys in one PostgreSQL table, each operation one statement, on the database's clock. */
export interface PostgresStore extends TransactionalStore<PgClient> {
  readonly kind: 'postgres';
  /** Creates table and index where they are missing; what `postgresMigrationSql()` shows. */
  migrate(): Promise<void>;
}

interface BeginRow {
  readonly state: string | null;
  readonly fingerprint: string;
  readonly attempt: number;
  readonly lease_ms: number;
  readonly answer: string | null;
  readonly checkpoints: Checkpoints | null;
  readonly now_ms: number;
  readonly late: boolean;
}

class TableStore implements PostgresStore {
  readonly kind = 'postgres';
  readonly durable = true;
  readonly #pool: PgPool;
  readonly #clock: Clock;
  readonly #table: string;
  readonly #sql: PostgresSql;
  readonly #time: ServerTime;

  constructor(pool: PgPool, table: string, clock: Clock) {
    this.#pool = pool;
    this.#clock = clock;
    this.#table = table;
    this.#sql = postgresSql(table);
    this.#time = new ServerTime(clock);
  }

  async migrate(): Promise<void> {
    const client = await this.#pool.connect();
    try {
      await createOnce(client, postgresMigrationSql(this.#table));
    } finally {
      client.release();
    }
  }

  async begin(key: string, claim: ClaimRequest, box: TimeBox): Promise<BeginResult> {
    return withClient(this.#pool, this.#clock, box, async (client) => {
      if (!this.#time.known) await this.#readTime(client);
      for (;;) {
        const result = await this.#begin(client, key, claim, box);
        if (result !== undefined) return result;
        if (box.over) throw new Error('postgres: the claim came too late and was not written');
      }
    });
  }

  renew(key: string, token: string, leaseMs: number, box: TimeBox): Promise<boolean> {
    return this.#change(this.#sql.renew, [key, token, leaseMs], box);
  }

  complete(key: string, token: string, answer: string | null, box: TimeBox): Promise<boolean> {
    return this.#change(this.#sql.complete, [key, token, answer], box);
  }

  release(key: string, token: string, box: TimeBox): Promise<boolean> {
    return this.#change(this.#sql.release, [key, token], box);
  }

  checkpoint(key: string, token: string, name: string, data: string, box: TimeBox): Promise<boolean> {
    return this.#change(this.#sql.checkpoint, [key, token, name, data], box);
  }

  async sweep(limit: number, box: TimeBox): Promise<number> {
    return (await this.#query(this.#sql.sweep, [limit], box)).rowCount ?? 0;
  }

  async transact<R>(
    key: string,
    token: string,
    work: (
      tx: PgClient,
    ) => { answer: string | null; result: R } | Promise<{ answer: string | null; result: R }>,
    box: TimeBox,
  ): Promise<{ readonly result: R } | undefined> {
    const client = await this.#pool.connect();
    if (box.over) {
      client.release();
      throw new Error('postgres: the time was up before the pool had a connection');
    }
    let broken: Error | undefined;
    try {
      return await this.#commit(client, key, token, work);
    } catch (error) {
      broken = await rollback(client);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async #commit<R>(
    client: PgClient,
    key: string,
    token: string,
    work: (
      tx: PgClient,
    ) => { answer: string | null; result: R } | Promise<{ answer: string | null; result: R }>,
  ): Promise<{ readonly result: R } | undefined> {
    await client.query('BEGIN');
    const { answer, result } = await work(client);
    const done = await client.query(this.#sql.complete, [key, token, answer]);
    if (done.rowCount === 0) {
      await client.query('ROLLBACK');
      return undefined;
    }
    await client.query('COMMIT');
    return { result };
  }

  /** `undefined`: a row went or came while the statement ran, or it ran too late; ask again. */
  async #begin(
    client: PgClient,
    key: string,
    claim: ClaimRequest,
    box: TimeBox,
  ): Promise<BeginResult | undefined> {
    const sentAt = this.#time.now();
    const limit = this.#time.limit(box.leftMs);
    const values = [key, claim.fingerprint, claim.token, claim.leaseMs, claim.ttlMs, limit];
    const row = (await untangled(box, () => client.query(this.#sql.begin, values))).rows[0] as BeginRow;
    if (row.late) this.#time.forget();
    this.#time.heard(row.now_ms, sentAt);
    return readBegin(row, claim);
  }

  async #readTime(client: PgClient): Promise<void> {
    const sentAt = this.#time.now();
    const row = (await client.query(this.#sql.time)).rows[0] as { now_ms: number };
    this.#time.heard(row.now_ms, sentAt);
  }

  async #change(text: string, values: unknown[], box: TimeBox): Promise<boolean> {
    return ((await this.#query(text, values, box)).rowCount ?? 0) > 0;
  }

  #query(text: string, values: unknown[], box: TimeBox): Promise<PgResult> {
    return withClient(this.#pool, this.#clock, box, (client) =>
      untangled(box, () => client.query(text, values)),
    );
  }
}

/** Tries to create what several processes that start at once create. */
const CREATIONS = 5;

/** `IF NOT EXISTS` does not keep two sessions apart: the slower one is told of the other's row in the catalogue. */
async function createOnce(client: PgClient, sql: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(sql);
      return;
    } catch (error) {
      const { code } = error as { code?: unknown };
      const isThere = code === '23505' || code === '42P07' || code === '42710';
      if (!isThere || attempt === CREATIONS) throw error;
    }
  }
}

/**
 * Where the session's default isolation is above READ COMMITTED, a statement that meets another one on its key is
 * refused with 40001, and deadlocks with 40P01: nothing was done, and it may be asked again at once.
 */
async function untangled(box: TimeBox, ask: () => Promise<PgResult>): Promise<PgResult> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (box.over || (code !== '40001' && code !== '40P01')) throw error;
    }
  }
}

async function rollback(client: PgClient): Promise<Error | undefined> {
  try {
    await client.query('ROLLBACK');
    return undefined;
  } catch (error) {
    // The connection is of no use any more: the server rolls back by itself when it closes.
    return error instanceof Error ? error : new Error(String(error));
  }
}

function readBegin(row: BeginRow, claim: ClaimRequest): BeginResult | undefined {
  if (row.state === null) return undefined;
  if (row.state === 'claimed') {
    const attempt = Number(row.attempt);
    return { kind: 'run', attempt, recovered: attempt > 1, checkpoints: row.checkpoints ?? {} };
  }
  if (row.fingerprint !== claim.fingerprint) return { kind: 'mismatch' };
  if (row.state === 'completed') return { kind: 'replay', answer: row.answer };
  const leaseLeftMs = row.lease_ms - row.now_ms;
  return row.state === 'running' && leaseLeftMs > 0 ? { kind: 'in-progress', leaseLeftMs } : undefined;
}

/**
 * Makes the store on a `Pool` of `pg`. The pool stays yours: close it yourself, and give it room for one connection
 * per request at work in the store; requests wait for one no longer than the store timeout.
 */
export function postgresStore(pool: PgPool, options: PostgresStoreOptions = {}): PostgresStore {
  return new TableStore(pool, options.table ?? 'spillway_idempotency', options.clock ?? systemClock());
}
