import { DB_NOW, type SqliteDatabase, type SqliteStatement } from '../stores/sqlite-driver.js';
import { tableName } from '../stores/table-name.js';
import type {
  ClaimedWrite,
  ListQuery,
  NewWrite,
  OutboxRequest,
  OutboxStore,
  OutboxWrite,
  Settlement,
  WriteState,
} from './outbox-store.js';

export interface SqliteOutboxOptions {
  /** Default `spillway_outbox`. */
  readonly table?: string;
}

interface Row {
  readonly id: string;
  readonly dependency: string;
  readonly key: string;
  readonly lane: string;
  readonly request: string;
  readonly state: WriteState;
  readonly attempts: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly deferred_at: number;
}

/** The schema of the outbox; `sqliteOutbox` applies it by itself. */
export function sqliteOutboxMigration(table = 'spillway_outbox'): string {
  const name = tableName(table);
  return `CREATE TABLE IF NOT EXISTS ${name} (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  dependency TEXT NOT NULL,
  key TEXT NOT NULL,
  lane TEXT NOT NULL,
  request TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting',
  attempts INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  lease_until INTEGER NOT NULL DEFAULT 0,
  token TEXT,
  status INTEGER,
  error TEXT,
  deferred_at INTEGER NOT NULL,
  ended_at INTEGER,
  UNIQUE (dependency, key)
);
CREATE INDEX IF NOT EXISTS ${name}_lanes ON ${name} (dependency, lane, seq) WHERE state <> 'done';
CREATE INDEX IF NOT EXISTS ${name}_due ON ${name} (due_at) WHERE state IN ('waiting', 'sending');
CREATE INDEX IF NOT EXISTS ${name}_ended ON ${name} (ended_at) WHERE state = 'done';
`;
}

class FileOutbox implements OutboxStore {
  readonly #db: SqliteDatabase;
  readonly #table: string;
  readonly #prepared = new Map<string, SqliteStatement>();

  constructor(db: SqliteDatabase, table: string) {
    this.#db = db;
    this.#table = table;
  }

  async add(write: NewWrite, capacity: number) {
    const there = this.#find('dependency = ? AND key = ?', write.dependency, write.key);
    if (there !== undefined) return { write: there, added: false };
    const full = `(SELECT count(*) FROM ${this.#table} WHERE state IN ('waiting', 'sending')) >= ?`;
    const { changes } = this.#sql(
      `INSERT INTO ${this.#table} (id, dependency, key, lane, request, due_at, deferred_at)
       SELECT ?, ?, ?, ?, ?, ${DB_NOW}, ${DB_NOW} WHERE NOT ${full} ON CONFLICT (dependency, key) DO NOTHING`,
    ).run(write.id, write.dependency, write.key, write.lane, JSON.stringify(write.request), capacity);
    const now = this.#find('dependency = ? AND key = ?', write.dependency, write.key);
    return now === undefined ? ('full' as const) : { write: now, added: Number(changes) > 0 };
  }

  async claim(token: string, leaseMs: number, limit: number, except: readonly string[]) {
    const others = except.map(() => '?').join(', ');
    // First of its lane: nothing older of it is unfinished, dead letters included, or order would be lost.
    const free = `state IN ('waiting', 'sending') AND due_at <= ${DB_NOW} AND lease_until <= ${DB_NOW}`;
    const first = `NOT EXISTS (SELECT 1 FROM ${this.#table} p WHERE p.dependency = o.dependency AND p.lane = o.lane
      AND p.state <> 'done' AND p.seq < o.seq)`;
    const ids = this.#sql(
      `SELECT o.id FROM ${this.#table} o WHERE ${free} AND dependency NOT IN (${others}) AND ${first}
       ORDER BY o.due_at, o.seq LIMIT ?`,
    ).all(...except, limit) as { id: string }[];
    const taken: ClaimedWrite[] = [];
    for (const { id } of ids) {
      const { changes } = this.#sql(
        `UPDATE ${this.#table} SET state = 'sending', token = ?, lease_until = ${DB_NOW} + ? WHERE id = ? AND ${free}`,
      ).run(token, leaseMs, id);
      const write = Number(changes) > 0 ? this.#find('id = ?', id) : undefined;
      if (write !== undefined) taken.push({ ...write, token });
    }
    return taken;
  }

  async renew(write: ClaimedWrite, leaseMs: number): Promise<boolean> {
    return this.#changes(
      `UPDATE ${this.#table} SET lease_until = ${DB_NOW} + ? WHERE id = ? AND token = ? AND state = 'sending'`,
      leaseMs,
      write.id,
      write.token,
    );
  }

  async settle(write: ClaimedWrite, settlement: Settlement): Promise<boolean> {
    const later = settlement.kind === 'later';
    return this.#changes(
      `UPDATE ${this.#table} SET state = ?, attempts = attempts + ?, due_at = ${DB_NOW} + ?, lease_until = 0,
         token = NULL, status = ?, error = ?, ended_at = ${later ? 'NULL' : DB_NOW}
       WHERE id = ? AND token = ? AND state = 'sending'`,
      later ? 'waiting' : settlement.kind,
      later && !settlement.counted ? 0 : 1,
      later ? settlement.afterMs : 0,
      settlement.status ?? null,
      settlement.kind === 'done' ? null : settlement.error,
      write.id,
      write.token,
    );
  }

  async get(id: string): Promise<OutboxWrite | undefined> {
    return this.#find('id = ?', id);
  }

  async list({ state, dependency, limit = 100 }: ListQuery): Promise<readonly OutboxWrite[]> {
    const rows = this.#sql(
      `SELECT * FROM ${this.#table} WHERE (? IS NULL OR state = ?) AND (? IS NULL OR dependency = ?)
       ORDER BY seq LIMIT ?`,
    ).all(state ?? null, state ?? null, dependency ?? null, dependency ?? null, Math.min(limit, 1000));
    return (rows as Row[]).map(writeOf);
  }

  async retry(id: string): Promise<boolean> {
    return this.#changes(
      `UPDATE ${this.#table} SET state = 'waiting', attempts = 0, due_at = ${DB_NOW}, ended_at = NULL
       WHERE id = ? AND state = 'dead'`,
      id,
    );
  }

  async drop(id: string): Promise<boolean> {
    const idle = `(state <> 'sending' OR lease_until <= ${DB_NOW})`;
    return this.#changes(`DELETE FROM ${this.#table} WHERE id = ? AND ${idle}`, id);
  }

  async hurry(dependency: string): Promise<void> {
    this.#changes(
      `UPDATE ${this.#table} SET due_at = ${DB_NOW} WHERE dependency = ? AND state = 'waiting' AND due_at > ${DB_NOW}`,
      dependency,
    );
  }

  async sweep(ageMs: number, limit: number): Promise<number> {
    const { changes } = this.#sql(
      `DELETE FROM ${this.#table} WHERE seq IN (SELECT seq FROM ${this.#table}
         WHERE state = 'done' AND ended_at <= ${DB_NOW} - ? ORDER BY ended_at LIMIT ?)`,
    ).run(ageMs, limit);
    return Number(changes);
  }

  #find(where: string, ...values: string[]): OutboxWrite | undefined {
    const row = this.#sql(`SELECT * FROM ${this.#table} WHERE ${where}`).get(...values) as Row | undefined;
    return row === undefined ? undefined : writeOf(row);
  }

  #changes(sql: string, ...values: (string | number | null)[]): boolean {
    return Number(this.#sql(sql).run(...values).changes) > 0;
  }

  #sql(sql: string): SqliteStatement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

function writeOf(row: Row): OutboxWrite {
  return {
    id: row.id,
    dependency: row.dependency,
    key: row.key,
    lane: row.lane,
    request: JSON.parse(row.request) as OutboxRequest,
    state: row.state,
    attempts: Number(row.attempts),
    status: row.status === null ? undefined : Number(row.status),
    error: row.error ?? undefined,
    deferredAt: Number(row.deferred_at),
  };
}

/**
 * Deferred writes in an SQLite file: durable before `defer` resolves, shared by the processes of one machine. Sets
 * WAL, full synchronisation and a busy timeout of 1 s on the database: give it a connection of its own.
 */
export function sqliteOutbox(db: SqliteDatabase, options: SqliteOutboxOptions = {}): OutboxStore {
  const table = options.table ?? 'spillway_outbox';
  db.exec('PRAGMA busy_timeout = 1000');
  db.exec('PRAGMA journal_mode = WAL');
  db.exec('PRAGMA synchronous = FULL');
  db.exec(sqliteOutboxMigration(table));
  return new FileOutbox(db, table);
}
