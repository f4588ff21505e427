import { type Clock, systemClock } from '@spillway/core';
import type { BeginResult, Checkpoints, ClaimRequest, KeyRecord, RecordState } from '../engine/machine.js';
import * as machine from '../engine/machine.js';
import type { TransactionalStore } from '../engine/store.js';
import type { TimeBox } from '../engine/time-box.js';
import { DB_NOW, type SqliteDatabase, type SqliteStatement, withoutBlocking } from './sqlite-driver.js';
import { tableName } from './table-name.js';

export type { SqliteDatabase, SqliteStatement } from './sqlite-driver.js';

export interface SqliteStoreOptions {
  /** Default `spillway_idempotency`. Letters, digits and underscores. */
  readonly table?: string;
  /**
   * `full` (default) survives a power cut; `normal` survives the end of the process, and may forget the last keys
   * when the machine loses power.
   */
  readonly synchronous?: 'full' | 'normal';
  /** Waits between tries on a busy database. Default: the system clock. */
  readonly clock?: Clock;
}

const STATES: readonly RecordState[] = ['running', 'retryable', 'completed'];

interface Row {
  readonly state: number;
  readonly fingerprint: string;
  readonly token: string;
  readonly attempt: number;
  readonly lease_until: number;
  readonly expires_at: number;
  readonly answer: string | null;
  readonly checkpoints: string | null;
  readonly now: number;
}

class Statements {
  readonly insert: SqliteStatement;
  readonly select: SqliteStatement;
  readonly take: SqliteStatement;
  readonly renew: SqliteStatement;
  readonly complete: SqliteStatement;
  readonly remove: SqliteStatement;
  readonly retryable: SqliteStatement;
  readonly checkpoint: SqliteStatement;
  readonly sweep: SqliteStatement;

  constructor(db: SqliteDatabase, table: string) {
    const owned = `key = ? AND token = ? AND state = 0 AND expires_at > ${DB_NOW}`;
    this.insert = db.prepare(
      `INSERT INTO ${table} (key, state, fingerprint, token, attempt, lease_until, expires_at)
       VALUES (?, 0, ?, ?, 1, ${DB_NOW} + ?, ${DB_NOW} + ?) ON CONFLICT (key) DO NOTHING`,
    );
    this.select = db.prepare(`SELECT *, ${DB_NOW} AS now FROM ${table} WHERE key = ?`);
    // Compare-and-set: takes effect only on exactly the row that was read.
    this.take = db.prepare(
      `UPDATE ${table} SET state = 0, fingerprint = ?, token = ?, attempt = ?, lease_until = ?, expires_at = ?,
         answer = NULL, checkpoints = ?
       WHERE key = ? AND token = ? AND state = ? AND lease_until = ? AND expires_at = ?`,
    );
    this.renew = db.prepare(
      `UPDATE ${table} SET lease_until = max(lease_until, ${DB_NOW} + ?),
         expires_at = max(expires_at, ${DB_NOW} + ?) WHERE ${owned}`,
    );
    this.complete = db.prepare(`UPDATE ${table} SET state = 2, answer = ? WHERE ${owned}`);
    this.remove = db.prepare(`DELETE FROM ${table} WHERE ${owned} AND checkpoints IS NULL`);
    this.retryable = db.prepare(`UPDATE ${table} SET state = 1, lease_until = ${DB_NOW} WHERE ${owned}`);
    this.checkpoint = db.prepare(
      `UPDATE ${table} SET checkpoints = json_patch(coalesce(checkpoints, '{}'), json_object(?, ?)) WHERE ${owned}`,
    );
    this.sweep = db.prepare(
      `DELETE FROM ${table} WHERE rowid IN
         (SELECT rowid FROM ${table} WHERE expires_at <= ${DB_NOW} ORDER BY expires_at LIMIT ?)`,
    );
  }
}

/**
 * Keys in an SQLite file, the embedded default: survives `kill -9`, shared by the processes of one machine.
 * Statements are synchronous and short; a database that another process keeps busy is asked again until the time is
 * up, without blocking the event loop.
 */
export interface SqliteStore extends TransactionalStore<SqliteDatabase> {
  readonly kind: 'sqlite';
}

class FileStore implements SqliteStore {
  readonly kind = 'sqlite';
  readonly durable = true;
  readonly #db: SqliteDatabase;
  readonly #clock: Clock;
  readonly #sql: Statements;
  readonly #synchronous: 'NORMAL' | 'FULL';

  constructor(db: SqliteDatabase, table: string, synchronous: 'NORMAL' | 'FULL', clock: Clock) {
    this.#db = db;
    this.#synchronous = synchronous;
    this.#clock = clock;
    this.#sql = new Statements(db, table);
  }

  begin(key: string, claim: ClaimRequest, box: TimeBox): Promise<BeginResult> {
    return withoutBlocking(this.#clock, box, () => this.#begin(key, claim));
  }

  renew(key: string, token: string, leaseMs: number, box: TimeBox): Promise<boolean> {
    return this.#changes(box, () => this.#sql.renew.run(leaseMs, leaseMs, key, token));
  }

  complete(key: string, token: string, answer: string | null, box: TimeBox): Promise<boolean> {
    return this.#changes(box, () => this.#sql.complete.run(answer, key, token));
  }

  async release(key: string, token: string, box: TimeBox): Promise<boolean> {
    if (await this.#changes(box, () => this.#sql.remove.run(key, token))) return true;
    return this.#changes(box, () => this.#sql.retryable.run(key, token));
  }

  checkpoint(key: string, token: string, name: string, data: string, box: TimeBox): Promise<boolean> {
    return this.#changes(box, () => this.#sql.checkpoint.run(name, data, key, token));
  }

  sweep(limit: number, box: TimeBox): Promise<number> {
    return withoutBlocking(this.#clock, box, () => this.#sweep(limit));
  }

  /**
   * `work` must be synchronous: the transaction belongs to the connection, and whatever else used it meanwhile
   * would become part of it.
   */
  transact<R>(
    key: string,
    token: string,
    work: (tx: SqliteDatabase) => { answer: string | null; result: R } | Promise<unknown>,
    box: TimeBox,
  ): Promise<{ readonly result: R } | undefined> {
    return withoutBlocking(this.#clock, box, () => {
      this.#db.exec('BEGIN IMMEDIATE');
      return this.#commit(key, token, work);
    });
  }

  #commit<R>(
    key: string,
    token: string,
    work: (tx: SqliteDatabase) => { answer: string | null; result: R } | Promise<unknown>,
  ): { readonly result: R } | undefined {
    let open = true;
    try {
      const done = work(this.#db);
      if (!('answer' in done)) throw new TypeError('sqlite: the work of a transaction has to be synchronous');
      if (Number(this.#sql.complete.run(done.answer, key, token).changes) === 0) return undefined;
      this.#db.exec('COMMIT');
      open = false;
      return { result: done.result };
    } finally {
      if (open) this.#db.exec('ROLLBACK');
    }
  }

  /** What a power cut brings back is swept again: no need to wait for the disk. */
  #sweep(limit: number): number {
    this.#db.exec('PRAGMA synchronous = NORMAL');
    try {
      return Number(this.#sql.sweep.run(limit).changes);
    } finally {
      this.#db.exec(`PRAGMA synchronous = ${this.#synchronous}`);
    }
  }

  #changes(box: TimeBox, run: () => { changes: number | bigint }): Promise<boolean> {
    return withoutBlocking(this.#clock, box, () => Number(run().changes) > 0);
  }

  #begin(key: string, claim: ClaimRequest): BeginResult {
    const ttlMs = Math.max(claim.ttlMs, claim.leaseMs);
    for (;;) {
      const { changes } = this.#sql.insert.run(key, claim.fingerprint, claim.token, claim.leaseMs, ttlMs);
      if (Number(changes) > 0) return { kind: 'run', attempt: 1, recovered: false, checkpoints: {} };
      const row = this.#sql.select.get(key) as Row | undefined;
      if (row === undefined) continue;
      const { record, result } = machine.begin(recordOf(row), claim, Number(row.now));
      if (result.kind !== 'run' || record === undefined || this.#take(key, row, record)) return result;
    }
  }

  #take(key: string, row: Row, next: KeyRecord): boolean {
    const kept = Object.keys(next.checkpoints).length === 0 ? null : JSON.stringify(next.checkpoints);
    const { changes } = this.#sql.take.run(
      next.fingerprint,
      next.token,
      next.attempt,
      next.leaseUntil,
      next.expiresAt,
      kept,
      key,
      row.token,
      row.state,
      row.lease_until,
      row.expires_at,
    );
    return Number(changes) > 0;
  }
}

function recordOf(row: Row): KeyRecord {
  return {
    state: STATES[Number(row.state)] ?? 'running',
    fingerprint: row.fingerprint,
    token: row.token,
    attempt: Number(row.attempt),
    leaseUntil: Number(row.lease_until),
    expiresAt: Number(row.expires_at),
    answer: row.answer,
    checkpoints: row.checkpoints === null ? {} : (JSON.parse(row.checkpoints) as Checkpoints),
  };
}

/** The schema of the store; `sqliteStore` applies it by itself. */
export function sqliteMigration(table = 'spillway_idempotency'): string {
  const name = tableName(table);
  return `CREATE TABLE IF NOT EXISTS ${name} (
  key TEXT NOT NULL PRIMARY KEY,
  state INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  token TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  lease_until INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  answer TEXT,
  checkpoints TEXT
);
CREATE INDEX IF NOT EXISTS ${name}_expires_at ON ${name} (expires_at);
`;
}

/**
 * Makes the store on an open database: `libsql`, `better-sqlite3`, or `node:sqlite`'s DatabaseSync. It sets WAL, no
 * busy timeout (it waits by itself) and `synchronous`, so give it a connection of its own, or one whose other users
 * never leave a transaction open across an `await`.
 * @throws what the driver throws when the file cannot be opened or written
 */
export function sqliteStore(db: SqliteDatabase, options: SqliteStoreOptions = {}): SqliteStore {
  const table = options.table ?? 'spillway_idempotency';
  // Two processes that start at once: the one that changes the journal mode keeps the other out for a moment.
  db.exec('PRAGMA busy_timeout = 2000');
  db.exec('PRAGMA journal_mode = WAL');
  const synchronous = options.synchronous === 'normal' ? 'NORMAL' : 'FULL';
  db.exec(`PRAGMA synchronous = ${synchronous}`);
  db.exec(sqliteMigration(table));
  db.exec('PRAGMA busy_timeout = 0');
  return new FileStore(db, table, synchronous, options.clock ?? systemClock());
}
