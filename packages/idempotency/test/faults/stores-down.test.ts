import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { postgresStore } from '@spillway/idempotency/postgres';
import { redisStore } from '@spillway/idempotency/redis';
import { sqliteStore } from '@spillway/idempotency/sqlite';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createClient } from 'redis';
import type { IdempotencyStore } from '../../src/engine/store.js';
import { FRAMEWORKS } from '../support/frameworks.js';
import { Bench } from '../support/matrix.js';
import { type OwnServer, ownPostgres, ownRedis } from '../support/real-servers.js';
import { openSqlite, temporaryFolder } from '../support/store-rigs.js';
import { eventually, post } from '../support/wire.js';

const bench = new Bench();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  await bench.close();
  for (const clean of cleanups.splice(0).reverse()) await clean();
}, 30_000);

const TIMEOUT_MS = 150;
/** For a machine that is busy with other things. */
const SLACK_MS = 600;
const express = FRAMEWORKS[0]?.[1] as (typeof FRAMEWORKS)[number][1];

/** One app that needs a key and one that may go without, on a store that is about to fail. */
async function apps(store: IdempotencyStore) {
  const options = { store, storeTimeout: TIMEOUT_MS };
  const closed = await bench.serve(express, { ...options, required: true }, ({ send }) =>
    send(201, {}, { ok: true }),
  );
  const passing = await bench.serve(express, options, ({ send }) => send(201, {}, { ok: true }));
  let serial = 0;
  const timed = async (url: string, key: string) => {
    const began = performance.now();
    const { status } = await post(url, key);
    expect(performance.now() - began).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    return status;
  };
  return {
    works: () =>
      eventually(
        'it works',
        async () => (await post(`${closed.url}/p`, `up-${serial++}`)).status === 201,
        20_000,
      ),
    /** Every request is decided in time: refused where the key is needed, run where it is not. */
    async fails() {
      for (let i = 0; i < 3; i++) {
        expect(await timed(`${closed.url}/p`, `down-${serial}`)).toBe(503);
        expect(await timed(`${passing.url}/p`, `down-open-${serial++}`)).toBe(201);
      }
    },
    served: () => serial,
  };
}

/** Says aloud what cannot be shown here. */
async function started(what: string, server: OwnServer | undefined): Promise<OwnServer | undefined> {
  if (server === undefined) {
    if (process.env['CI'] === 'true') throw new Error(`${what} is not installed`);
    process.stderr.write(`\nSKIPPED: ${what} is not installed, its failures are not shown.\n`);
    return undefined;
  }
  await server.start();
  cleanups.push(() => server.dispose());
  return server;
}

const CLIENTS = [
  [
    'node-redis',
    async (url: string) => {
      const client = createClient({ url, socket: { reconnectStrategy: 50 } });
      client.on('error', () => {});
      await client.connect();
      return { client, close: () => client.destroy() };
    },
  ],
  [
    'ioredis',
    async (url: string) => {
      const client = new Redis(url, { retryStrategy: () => 50 });
      client.on('error', () => {});
      return { client, close: () => client.disconnect() };
    },
  ],
] as const;

describe.each(CLIENTS)('Redis under %s', (_name, connect) => {
  test('killed and restarted, frozen, slow: decided in time, nothing written late, recovers by itself', async () => {
    const server = await started('Redis', await ownRedis());
    expect(server === undefined || server.port > 0).toBe(true);
    if (server === undefined) return;
    const { client, close } = await connect(server.url);
    cleanups.push(close);
    const store = redisStore(client as never, { prefix: 'f:' });
    const { works, fails } = await apps(store);
    const written = async () => {
      const admin = new Redis(server.url);
      const keys = await admin.keys('f:*');
      const states = await Promise.all(keys.map((key) => admin.hget(key, 'state')));
      admin.disconnect();
      return states;
    };
    await works();
    await server.kill();
    await fails();
    await server.start();
    await works();
    const before = await written();
    server.freeze();
    await fails();
    server.thaw();
    await sleep(300);
    expect(await written()).toEqual(before);
    await works();
    expect((await written()).every((state) => state === 'completed')).toBe(true);
    const admin = new Redis(server.url);
    await admin.call('CLIENT', 'PAUSE', '1000', 'ALL');
    admin.disconnect();
    await fails();
    await sleep(1_000);
    await works();
    expect((await written()).every((state) => state === 'completed')).toBe(true);
  }, 120_000);
});

describe('PostgreSQL', () => {
  test('restarted, frozen, pool exhausted, TimeZone elsewhere: decided in time, nothing written late, recovers', async () => {
    const server = await started('PostgreSQL', await ownPostgres());
    expect(server === undefined || server.port > 0).toBe(true);
    if (server === undefined) return;
    const pool = new pg.Pool({
      connectionString: server.url,
      max: 5,
      options: '-c TimeZone=Pacific/Kiritimati',
    });
    pool.on('error', () => {});
    const store = postgresStore(pool);
    cleanups.push(() => Promise.race([pool.end(), sleep(2_000)]));
    await store.migrate();
    const { works, fails } = await apps(store);
    const states = async () =>
      (await pool.query('SELECT state FROM spillway_idempotency')).rows.map((row) => row.state);
    await works();
    await server.kill();
    await fails();
    await server.start();
    await works();
    const before = await states();
    server.freeze();
    await fails();
    server.thaw();
    await eventually('it is back', async () => (await states()).length >= before.length, 20_000);
    await sleep(500);
    expect((await states()).length).toBe(before.length);
    await works();
    const held = await Promise.all(Array.from({ length: 5 }, () => pool.connect()));
    await fails();
    for (const client of held) client.release();
    await works();
    await sleep(200);
    expect((await states()).every((state) => state === 'completed')).toBe(true);
  }, 120_000);
});

describe('SQLite', () => {
  test('busy and disk full: decided in time, nothing written late, recovers by itself', async () => {
    const folder = temporaryFolder();
    const file = join(folder.path, 'keys.db');
    const db = openSqlite(file);
    const other = openSqlite(file);
    cleanups.push(
      () => folder.remove(),
      () => db.close(),
      () => other.close(),
    );
    const { works, fails } = await apps(sqliteStore(db));
    const count = () =>
      (other.prepare('SELECT count(*) AS n FROM spillway_idempotency').get() as { n: number }).n;
    await works();
    const before = count();
    other.exec('BEGIN IMMEDIATE');
    await fails();
    other.exec('COMMIT');
    await sleep(TIMEOUT_MS);
    expect(count()).toBe(before);
    await works();

    // A disk that is full: no page may be added any more, and those there are taken.
    const pages = (db.prepare('PRAGMA page_count').get() as { page_count: number }).page_count;
    db.exec(`PRAGMA max_page_count = ${pages}`);
    const filler = db.prepare(
      "INSERT INTO spillway_idempotency VALUES (?, 2, 'f', 't', 1, 1, 9e15, hex(randomblob(400)), NULL)",
    );
    expect(() => {
      for (let i = 0; i < 1_000; i++) filler.run(`fill-${i}`);
    }).toThrow(/full/);
    for (let i = 0; i < 100; i++) {
      try {
        db.prepare("INSERT INTO spillway_idempotency VALUES (?, 2, 'f', 't', 1, 1, 9e15, NULL, NULL)").run(
          `small-${i}`,
        );
      } catch {
        break;
      }
    }
    const full = count();
    await fails();
    expect(count()).toBe(full);
    db.exec('PRAGMA max_page_count = 100000');
    await works();
  }, 60_000);
});
