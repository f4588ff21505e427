import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '@spillway/core';
import { postgresStore } from '@spillway/idempotency/postgres';
import { sqliteStore } from '@spillway/idempotency/sqlite';
import pg from 'pg';
import { within } from '../../src/engine/time-box.js';
import { AMPLE } from '../support/boxes.js';
import { FRAMEWORKS } from '../support/frameworks.js';
import { Bench } from '../support/matrix.js';
import { findPostgres } from '../support/real-servers.js';
import { openSqlite, temporaryFolder, unique } from '../support/store-rigs.js';
import { post } from '../support/wire.js';

const postgres = await findPostgres();
const bench = new Bench();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  await bench.close();
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(() => postgres?.dispose(), 30_000);

const claim = (token: string) => ({ fingerprint: 'f', token, leaseMs: 30_000, ttlMs: 86_400_000 });

async function inTokyo(url: string): Promise<void> {
  const table = unique('tz');
  const pool = new pg.Pool({ connectionString: url, options: '-c TimeZone=Asia/Tokyo', max: 30 });
  cleanups.push(async () => {
    await pool.query(`DROP TABLE ${table}`);
    await pool.end();
  });
  const store = postgresStore(pool, { table });
  await store.migrate();
  expect((await pool.query('SHOW TimeZone')).rows[0].TimeZone).toBe('Asia/Tokyo');
  await store.begin('lock', claim('a'), AMPLE);
  await pool.query(`UPDATE ${table} SET lease_until = lease_until - interval '5 seconds'`);
  const second = await store.begin('lock', claim('b'), AMPLE);
  expect(second.kind).toBe('in-progress');
  expect((second as { leaseLeftMs: number }).leaseLeftMs).toBeGreaterThan(20_000);

  await insideOldTransaction(pool, table);
  await deletedInBetween(pool, table);
}

/** `now()` stands still inside a transaction; a lease must start when it is taken. */
async function insideOldTransaction(pool: pg.Pool, table: string): Promise<void> {
  const client = await pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT now()');
  await sleep(1_500);
  const inside = postgresStore(
    { connect: async () => ({ query: client.query.bind(client), release: () => {} }) } as never,
    { table },
  );
  await inside.begin('late', claim('a'), AMPLE);
  await client.query('COMMIT');
  client.release();
  const left = `extract(epoch FROM lease_until - clock_timestamp()) * 1000 AS lease, extract(epoch FROM expires_at - clock_timestamp()) * 1000 AS ttl`;
  const { rows } = await pool.query(`SELECT ${left} FROM ${table} WHERE key = 'late'`);
  expect(Number(rows[0].lease)).toBeGreaterThan(29_000);
  expect(Number(rows[0].ttl)).toBeGreaterThan(86_399_000);
}

/** Rows that come and go under a hundred claims: each claim is decided, and one at a time holds the key. */
async function deletedInBetween(pool: pg.Pool, table: string): Promise<void> {
  const store = postgresStore(pool, { table });
  let holders = 0;
  let most = 0;
  let runs = 0;
  await Promise.all(
    Array.from({ length: 20 }, async (_, worker) => {
      for (let i = 0; i < 10; i++) {
        const token = `${worker}-${i}`;
        const result = await store.begin('churn', claim(token), AMPLE);
        if (result.kind !== 'run') continue;
        runs++;
        holders++;
        most = Math.max(most, holders);
        await sleep(1);
        holders--;
        expect(await store.release('churn', token, AMPLE)).toBe(true);
      }
    }),
  );
  expect(runs).toBeGreaterThan(0);
  expect(most).toBe(1);
}

/** Another process holds the file: asked again until it is free, or the time is up; the loop turns meanwhile. */
async function busySqlite(): Promise<void> {
  const folder = temporaryFolder();
  const file = join(folder.path, 'keys.db');
  const db = openSqlite(file);
  const other = openSqlite(file);
  cleanups.push(() => {
    db.close();
    other.close();
    folder.remove();
  });
  const store = sqliteStore(db);
  const clock = systemClock();
  other.exec('BEGIN IMMEDIATE');
  let turns = 0;
  const ticking = setInterval(() => turns++, 5);
  setTimeout(() => other.exec('COMMIT'), 150);
  const result = await within(clock, 10_000, (box) => store.begin('k', claim('a'), box));
  clearInterval(ticking);
  expect(result.kind).toBe('run');
  expect(turns).toBeGreaterThan(3);
  for (const [, framework] of FRAMEWORKS) {
    const options = { store, storeTimeout: 100 };
    const closed = await bench.serve(framework, { ...options, required: true }, ({ send }) =>
      send(200, {}, {}),
    );
    const passing = await bench.serve(framework, options, ({ send }) => send(200, {}, {}));
    other.exec('BEGIN IMMEDIATE');
    expect((await post(`${closed.url}/p`, 'busy')).status).toBe(503);
    expect((await post(`${passing.url}/p`, 'busy')).status).toBe(200);
    other.exec('COMMIT');
    expect([closed.runs(), passing.runs()]).toEqual([0, 1]);
    await sleep(150);
    const written = db.prepare('SELECT count(*) AS n FROM spillway_idempotency').get() as { n: number };
    expect(written.n).toBe(1);
  }
}

describe('SQL stores and time', () => {
  test('C-081 neither time zone, transaction start, vanishing rows nor a busy file shifts or loses a claim', async () => {
    if (postgres !== undefined) await inTokyo(postgres.url);
    await busySqlite();
  }, 60_000);
});
