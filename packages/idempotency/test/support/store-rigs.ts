import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@spillway/core';
import { memoryStore } from '@spillway/idempotency/memory';
import { postgresStore } from '@spillway/idempotency/postgres';
import { redisStore } from '@spillway/idempotency/redis';
import { type SqliteDatabase, sqliteStore } from '@spillway/idempotency/sqlite';
import { Redis } from 'ioredis';
import Database from 'libsql';
import pg from 'pg';
import { createClient } from 'redis';
import type { IdempotencyStore } from '../../src/engine/store.js';
import { findPostgres, findRedis } from './real-servers.js';

/** A store under test, and the means to move its clock past a lease or an expiry without waiting. */
export interface StoreRig {
  readonly name: string;
  readonly store: IdempotencyStore;
  /** The lease of `key` is over. */
  lapse(key: string): Promise<void>;
  /** The record of `key` is past its expiry. */
  expire(key: string): Promise<void>;
  /** Records there are, expired ones not yet swept included. */
  count(): Promise<number>;
  dispose(): Promise<void>;
}

let serial = 0;

/** Fresh for each rig, so that files and runs do not meet in a shared server. */
export function unique(prefix: string): string {
  return `${prefix}_${process.pid}_${Date.now().toString(36)}_${serial++}`;
}

export async function memoryRig(): Promise<StoreRig> {
  const clock = new VirtualClock();
  const store = memoryStore({ clock });
  return {
    name: 'memory',
    store,
    lapse: async (key) => {
      const left = (store.peek(key)?.leaseUntil ?? 0) - clock.now();
      if (left > 0) clock.tick(left);
    },
    expire: async (key) => {
      const left = (store.peek(key)?.expiresAt ?? 0) - clock.now();
      if (left > 0) clock.tick(left);
    },
    count: async () => store.size,
    dispose: async () => {},
  };
}

export function openSqlite(file: string): SqliteDatabase & { close(): void } {
  return new Database(file);
}

export function temporaryFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'spillway-idem-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

async function sqliteRig(): Promise<StoreRig> {
  const folder = temporaryFolder();
  const db = openSqlite(join(folder.path, 'keys.db'));
  const store = sqliteStore(db, { synchronous: 'normal' });
  const set = (column: string) => db.prepare(`UPDATE spillway_idempotency SET ${column} = 1 WHERE key = ?`);
  return {
    name: 'sqlite',
    store,
    lapse: async (key) => void set('lease_until').run(key),
    expire: async (key) => void set('expires_at').run(key),
    count: async () =>
      (db.prepare('SELECT count(*) AS n FROM spillway_idempotency').get() as { n: number }).n,
    dispose: async () => {
      db.close();
      folder.remove();
    },
  };
}

/** Means of a Redis rig, by a connection of its own. */
function redisMeans(url: string, prefix: string) {
  const admin = new Redis(url);
  return {
    lapse: async (key: string) => {
      if ((await admin.exists(prefix + key)) === 1) await admin.hset(prefix + key, 'lease', '1');
    },
    // What expiry does: the key is gone.
    expire: async (key: string) => void (await admin.del(prefix + key)),
    count: async () => (await admin.keys(`${prefix}*`)).length,
    close: () => admin.disconnect(),
  };
}

async function nodeRedisRig(url: string): Promise<StoreRig> {
  const prefix = `${unique('t')}:`;
  const client = createClient({ url });
  client.on('error', () => {});
  await client.connect();
  const { close, ...means } = redisMeans(url, prefix);
  const dispose = async () => {
    client.destroy();
    close();
  };
  return { name: 'redis (node-redis)', store: redisStore(client, { prefix }), ...means, dispose };
}

async function ioRedisRig(url: string): Promise<StoreRig> {
  const prefix = `${unique('t')}:`;
  const client = new Redis(url);
  const { close, ...means } = redisMeans(url, prefix);
  const dispose = async () => {
    client.disconnect();
    close();
  };
  return { name: 'redis (ioredis)', store: redisStore(client, { prefix }), ...means, dispose };
}

async function postgresRig(url: string): Promise<StoreRig> {
  const table = unique('t');
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  pool.on('error', () => {});
  const store = postgresStore(pool, { table });
  await store.migrate();
  const past = "'2000-01-01T00:00:00Z'";
  return {
    name: 'postgres',
    store,
    lapse: async (key) =>
      void (await pool.query(`UPDATE ${table} SET lease_until = ${past} WHERE key = $1`, [key])),
    expire: async (key) =>
      void (await pool.query(`UPDATE ${table} SET expires_at = ${past} WHERE key = $1`, [key])),
    count: async () => Number((await pool.query(`SELECT count(*) AS n FROM ${table}`)).rows[0].n),
    dispose: async () => {
      await pool.query(`DROP TABLE ${table}`);
      await pool.end();
    },
  };
}

/** Every store there is here: name and maker, and what to call at the end of the file. */
export async function allRigs(): Promise<{
  readonly makers: readonly (readonly [string, () => Promise<StoreRig>])[];
  readonly dispose: () => Promise<void>;
}> {
  const [redis, postgres] = await Promise.all([findRedis(), findPostgres()]);
  const makers: [string, () => Promise<StoreRig>][] = [
    ['memory', memoryRig],
    ['sqlite', sqliteRig],
  ];
  if (redis !== undefined) {
    makers.push(
      ['redis (node-redis)', () => nodeRedisRig(redis.url)],
      ['redis (ioredis)', () => ioRedisRig(redis.url)],
    );
  }
  if (postgres !== undefined) makers.push(['postgres', () => postgresRig(postgres.url)]);
  const dispose = async () => {
    await Promise.all([redis?.dispose(), postgres?.dispose()]);
  };
  return { makers, dispose };
}
