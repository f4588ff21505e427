// What idempotency costs: added latency per request and round trips for each store, begin + complete in SQLite with a
// million live keys against a bare insert + update, and how long a sweep holds up the event loop.
//   node bench/idempotency.mjs            KEYS=1000000 REQUESTS=2000 REDIS_URL=… DATABASE_URL=…
// Needs `npm run build`. Exit code 1 when a limit is broken.
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { createIdempotency, idempotent } from '../packages/idempotency/dist/index.js';
import { memoryStore } from '../packages/idempotency/dist/stores/memory.js';
import { postgresStore } from '../packages/idempotency/dist/stores/postgres.js';
import { redisStore } from '../packages/idempotency/dist/stores/redis.js';
import { sqliteStore } from '../packages/idempotency/dist/stores/sqlite.js';
import { quantile } from './support/statistics.mjs';

// Drivers are development dependencies of the package.
const load = createRequire(new URL('../packages/idempotency/package.json', import.meta.url));
const Database = load('libsql');
const KEYS = Number(process.env.KEYS ?? 1_000_000);
const REQUESTS = Number(process.env.REQUESTS ?? 2_000);
const folder = mkdtempSync(join(tmpdir(), 'idempotency-bench-'));
const AMPLE = { over: false, leftMs: 60_000, whenOver: () => () => {} };
const broken = [];
/** Keys of earlier runs may still be in Redis. */
const RUN = Date.now().toString(36);

const us = (ms) => `${(ms * 1000).toFixed(0)} us`;

function limit(what, value, most) {
  const ok = value <= most;
  console.log(`${ok ? 'ok    ' : 'BROKEN'} ${what}: ${value.toFixed(2)} (at most ${most})`);
  if (!ok) broken.push(what);
}

/** Counts what goes to the server. */
function counted(target, method, trips) {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      return (...args) => {
        if (name === method) trips.count++;
        return value.apply(object, args);
      };
    },
  });
}

async function stores() {
  const all = [['memory', memoryStore(), undefined, () => {}]];
  const db = new Database(join(folder, 'latency.db'));
  all.push(['sqlite', sqliteStore(db), undefined, () => db.close()]);
  if (process.env.REDIS_URL) {
    const client = load('redis').createClient({ url: process.env.REDIS_URL });
    await client.connect();
    const trips = { count: 0 };
    all.push(['redis', redisStore(counted(client, 'sendCommand', trips)), trips, () => client.destroy()]);
  } else console.log('SKIPPED redis: set REDIS_URL');
  if (process.env.DATABASE_URL) {
    const pool = new (load('pg').Pool)({ connectionString: process.env.DATABASE_URL });
    const trips = { count: 0 };
    const counting = {
      async connect() {
        const client = await pool.connect();
        return counted(client, 'query', trips);
      },
    };
    const store = postgresStore(counting, { table: `bench_${process.pid}` });
    await store.migrate();
    const close = async () => {
      await pool.query(`DROP TABLE bench_${process.pid}`);
      await pool.end();
    };
    all.push(['postgres', store, trips, close]);
  } else console.log('SKIPPED postgres: set DATABASE_URL');
  return all;
}

function serve(middleware) {
  const handler = (_req, res) => {
    res.setHeader('Content-Type', 'application/json');
    res.end('{"ok":true}');
  };
  const server = createServer((req, res) =>
    middleware ? middleware(req, res, () => handler(req, res)) : handler(req, res),
  );
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

function post(port, key) {
  const headers = { 'content-type': 'application/json', 'content-length': 12, 'idempotency-key': key };
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const req = request({ port, host: '127.0.0.1', method: 'POST', path: '/p', headers, agent }, (res) => {
      res.resume();
      res.on('end', () => resolve(performance.now() - began));
    });
    req.on('error', reject);
    req.end('{"amount":1}');
  });
}

/** Requests to a bare server and to one with the store, in turns. */
async function latency(name, store, trips) {
  const bare = await serve(undefined);
  const guarded = await serve(idempotent({ store, required: true, storeTimeout: '5s', sweepEvery: false }));
  const times = { bare: [], guarded: [] };
  for (let i = 0; i < REQUESTS + 200; i++) {
    if (i === 200 && trips) trips.count = 0;
    const without = await post(bare.address().port, `${RUN}-${i}`);
    const withStore = await post(guarded.address().port, `${RUN}-${i}`);
    if (i < 200) continue;
    times.bare.push(without);
    times.guarded.push(withStore);
  }
  const added = (q) => quantile(times.guarded, q) - quantile(times.bare, q);
  console.log(`${name.padEnd(9)} added per request: median ${us(added(0.5))}, p99 ${us(added(0.99))}`);
  if (trips) limit(`${name}: round trips per request`, trips.count / REQUESTS, 2);
  bare.close();
  guarded.close();
}

/** Rows with random keys, made inside SQLite. */
function fill(db, into, values) {
  db.exec('PRAGMA synchronous = OFF');
  for (let left = KEYS; left > 0; left -= 100_000) {
    const rows = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${Math.min(left, 100_000)})`;
    db.exec(`INSERT INTO ${into} ${rows} SELECT hex(randomblob(22)), ${values} FROM n`);
  }
  db.exec('PRAGMA synchronous = FULL');
}

/** Keys are hashes: they fall anywhere in the index. */
function name(i) {
  return load('node:crypto').createHash('sha256').update(`seed-${i}`).digest('base64url');
}

async function million() {
  const db = new Database(join(folder, 'million.db'));
  const store = sqliteStore(db);
  const far = Date.now() + 86_400_000;
  const answer = JSON.stringify({ s: 201, h: [['Content-Type', 'application/json']], b: '{"ok":true}' });
  fill(db, 'spillway_idempotency', `2, 'f', 't', 1, 1, ${far} + i, '${answer}', NULL`);
  const plain = new Database(join(folder, 'plain.db'));
  plain.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  plain.exec('CREATE TABLE t (key TEXT NOT NULL PRIMARY KEY, state INTEGER, answer TEXT)');
  fill(plain, 't', `2, '${answer}'`);
  const insert = plain.prepare('INSERT INTO t VALUES (?, 0, NULL)');
  const update = plain.prepare('UPDATE t SET state = 2, answer = ? WHERE key = ?');
  const times = { bare: [], store: [] };
  for (let i = 0; i < 2_000; i++) {
    const key = name(KEYS + i);
    const a = performance.now();
    insert.run(key);
    update.run(answer, key);
    const b = performance.now();
    await store.begin(key, { fingerprint: 'f', token: `t${i}`, leaseMs: 30_000, ttlMs: 86_400_000 }, AMPLE);
    await store.complete(key, `t${i}`, answer, AMPLE);
    const c = performance.now();
    times.bare.push(b - a);
    times.store.push(c - b);
  }
  const [bare, ours] = [quantile(times.bare, 0.5), quantile(times.store, 0.5)];
  console.log(
    `sqlite with ${KEYS} live keys: begin + complete ${us(ours)}, bare insert + update ${us(bare)}`,
  );
  limit('sqlite: begin + complete over insert + update', ours / bare, 2);
  plain.close();
  return { db, store };
}

/** The longest time between two turns of the loop until `work` has settled. */
async function longestGap(work) {
  let longest = 0;
  let last = performance.now();
  let running = true;
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (running) setImmediate(look);
  };
  setImmediate(look);
  await work;
  running = false;
  return Math.max(longest, performance.now() - last);
}

async function sweep({ db, store }) {
  const expired = Math.min(KEYS, 20_000);
  db.exec(`UPDATE spillway_idempotency SET expires_at = 1 WHERE rowid <= ${expired}`);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const idle = await longestGap(new Promise((resolve) => setTimeout(resolve, 3_000)));
  console.log(`the machine by itself holds up an idle loop for up to ${idle.toFixed(0)} ms`);
  const engine = createIdempotency({ store, storeTimeout: '10s', lease: '30s', sweepEvery: false });
  const began = performance.now();
  const sweeping = engine.sweep();
  const longest = await longestGap(sweeping);
  const swept = await sweeping;
  console.log(`sweep: ${swept} of ${KEYS} records in ${(performance.now() - began).toFixed(0)} ms`);
  limit('sqlite: longest block of the loop while sweeping, ms', longest, 50);
  engine.close();
  db.close();
}

for (const [title, store, trips, close] of await stores()) {
  await latency(title, store, trips);
  await close();
}
await sweep(await million());
agent.destroy();
rmSync(folder, { recursive: true, force: true });
process.exitCode = broken.length === 0 ? 0 : 1;
