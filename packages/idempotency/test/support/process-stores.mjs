// The stores as a server process opens them.
import { postgresStore } from '@spillway/idempotency/postgres';
import { redisStore } from '@spillway/idempotency/redis';
import { sqliteStore } from '@spillway/idempotency/sqlite';
import { Redis } from 'ioredis';
import Database from 'libsql';
import pg from 'pg';
import { createClient } from 'redis';

async function storeOf(config) {
  switch (config.store) {
    case 'sqlite':
      return sqliteStore(new Database(config.file));
    case 'node-redis': {
      const client = createClient({ url: config.url });
      client.on('error', () => {});
      await client.connect();
      return redisStore(client, { prefix: config.prefix });
    }
    case 'ioredis': {
      const client = new Redis(config.url);
      client.on('error', () => {});
      return redisStore(client, { prefix: config.prefix });
    }
    default: {
      const pool = new pg.Pool({ connectionString: config.url, max: 20 });
      pool.on('error', () => {});
      return postgresStore(pool, { table: config.table });
    }
  }
}

/** The store, and the file in which runs and effects are counted. */
export async function openStore(config) {
  const store = await storeOf(config);
  const db = new Database(config.effects);
  db.exec('PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL');
  db.exec('CREATE TABLE IF NOT EXISTS runs (key TEXT, pid INTEGER)');
  db.exec('CREATE TABLE IF NOT EXISTS payments (id TEXT PRIMARY KEY, key TEXT)');
  const run = db.prepare('INSERT INTO runs (key, pid) VALUES (?, ?)');
  const pay = db.prepare('INSERT INTO payments (id, key) VALUES (?, ?) ON CONFLICT DO NOTHING');
  return {
    store,
    effects: { run: (key, pid) => run.run(key, pid), pay: (id, key) => pay.run(id, key) },
  };
}
