import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IdempotencyStore, RequestIdempotency, TransactionAnswer } from '@spillway/idempotency';
import { type PgClient, postgresStore } from '@spillway/idempotency/postgres';
import { redisStore } from '@spillway/idempotency/redis';
import { type SqliteDatabase, sqliteStore } from '@spillway/idempotency/sqlite';
import Database from 'libsql';
import pg from 'pg';
import { createClient } from 'redis';

export interface Payment {
  readonly id: string;
  readonly account: string;
  readonly amount: number;
}

/** Where payments are booked, and the store of keys that goes with it. */
export interface Ledger {
  readonly kind: 'sqlite' | 'postgres' | 'redis';
  readonly store: IdempotencyStore;
  /** Books a payment once and answers 201, however often the request comes and wherever the process dies. */
  book(idempotency: RequestIdempotency, payment: Payment, answer: (booked: Payment) => void): Promise<void>;
  count(): Promise<number>;
  close(): Promise<void>;
}

const TABLE = 'CREATE TABLE IF NOT EXISTS payments (id TEXT PRIMARY KEY, account TEXT, amount INTEGER)';

/** SQLite by default; PostgreSQL with DATABASE_URL, Redis with REDIS_URL. */
export function openLedger(env: Readonly<Record<string, string | undefined>>): Promise<Ledger> {
  const { DATABASE_URL: postgres, REDIS_URL: redis, PAYMENTS_DB: file } = env;
  if (postgres !== undefined) return postgresLedger(postgres);
  const path = file ?? join(mkdtempSync(join(tmpdir(), 'payments-')), 'payments.db');
  return redis === undefined ? sqliteLedger(path) : redisLedger(redis, path);
}

function created(payment: Payment): TransactionAnswer {
  return { status: 201, headers: { Location: `/payments/${payment.id}` }, body: payment };
}

function openDatabase(path: string): SqliteDatabase & { close(): void } {
  const db = new Database(path);
  db.exec(TABLE);
  return db;
}

function insert(db: SqliteDatabase, { id, account, amount }: Payment): void {
  db.prepare('INSERT INTO payments VALUES (?, ?, ?) ON CONFLICT DO NOTHING').run(id, account, amount);
}

function countIn(db: SqliteDatabase): number {
  return (db.prepare('SELECT count(*) AS n FROM payments').get() as { n: number }).n;
}

/** Payments and keys in one file: a payment and its key commit together. */
async function sqliteLedger(path: string): Promise<Ledger> {
  const db = openDatabase(path);
  return {
    kind: 'sqlite',
    store: sqliteStore(db),
    book: (idempotency, payment) =>
      idempotency.transaction<SqliteDatabase>((tx) => {
        insert(tx, payment);
        return created(payment);
      }),
    count: async () => countIn(db),
    close: async () => db.close(),
  };
}

/** Payments and keys in one database: a payment and its key commit together. */
async function postgresLedger(url: string): Promise<Ledger> {
  const pool = new pg.Pool({ connectionString: url });
  const store = postgresStore(pool, { table: 'payment_keys' });
  await store.migrate();
  await pool.query(TABLE);
  return {
    kind: 'postgres',
    store,
    book: (idempotency, payment) =>
      idempotency.transaction<PgClient>(async (tx) => {
        await tx.query('INSERT INTO payments VALUES ($1, $2, $3)', [
          payment.id,
          payment.account,
          payment.amount,
        ]);
        return created(payment);
      }),
    count: async () => Number((await pool.query('SELECT count(*) AS n FROM payments')).rows[0].n),
    close: () => pool.end(),
  };
}

/**
 * Keys in Redis, payments in a file: two places, so the payment's id is noted before it is booked. Whoever runs after
 * a crash finds the note and books under the same id, which changes nothing if it was booked already.
 */
async function redisLedger(url: string, path: string): Promise<Ledger> {
  const client = createClient({ url });
  client.on('error', (error: Error) => console.error(`redis: ${error.message}`));
  await client.connect();
  const db = openDatabase(path);
  return {
    kind: 'redis',
    store: redisStore(client),
    async book(idempotency, payment, answer) {
      const noted = idempotency.saved('payment') as Payment | undefined;
      if (noted === undefined) await idempotency.checkpoint('payment', payment);
      const booked = noted ?? payment;
      insert(db, booked);
      answer(booked);
    },
    count: async () => countIn(db),
    async close() {
      client.destroy();
      db.close();
    },
  };
}
