import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { memoryStore } from '@spillway/idempotency/memory';
import { type SqliteDatabase, sqliteStore } from '@spillway/idempotency/sqlite';
import { FRAMEWORKS } from '../support/frameworks.js';
import { Bench } from '../support/matrix.js';
import { openSqlite, temporaryFolder } from '../support/store-rigs.js';
import { post } from '../support/wire.js';

const bench = new Bench();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  await bench.close();
  for (const clean of cleanups.splice(0).reverse()) clean();
});

function database() {
  const folder = temporaryFolder();
  const db = openSqlite(join(folder.path, 'app.db'));
  db.exec('CREATE TABLE effects (id INTEGER PRIMARY KEY, note TEXT)');
  cleanups.push(
    () => folder.remove(),
    () => db.close(),
  );
  const effects = () => (db.prepare('SELECT count(*) AS n FROM effects').get() as { n: number }).n;
  return { db, store: sqliteStore(db), effects };
}

function note(tx: SqliteDatabase, text: string): void {
  tx.prepare('INSERT INTO effects (note) VALUES (?)').run(text);
}

describe.each(FRAMEWORKS)('a transaction behind %s', (_name, framework) => {
  test('commits effect and answer together, sends the answer, and replays it', async () => {
    const { store, effects } = database();
    const app = await bench.serve(framework, { store, required: true }, async ({ idempotency }, run) => {
      await idempotency?.transaction<SqliteDatabase>((tx) => {
        note(tx, `run ${run}`);
        return { status: 201, headers: { Location: '/e/1' }, body: { run } };
      });
    });
    const first = await post(`${app.url}/p`, 'K');
    const second = await post(`${app.url}/p`, 'K');
    expect([first.status, first.headers.location, first.json()]).toEqual([201, '/e/1', { run: 1 }]);
    expect([second.status, second.headers.location, second.text]).toEqual([201, '/e/1', first.text]);
    expect(second.headers['content-type']).toBe(first.headers['content-type']);
    expect([first.headers['idempotent-replayed'], second.headers['idempotent-replayed']]).toEqual([
      undefined,
      'true',
    ]);
    expect(effects()).toBe(1);
  });

  test('rolls back what the work did when it throws, and frees the key', async () => {
    const { store, effects } = database();
    const app = await bench.serve(framework, { store, required: true }, async ({ idempotency }, run) => {
      await idempotency?.transaction<SqliteDatabase>((tx) => {
        note(tx, `run ${run}`);
        if (run === 1) throw new Error('after the insert');
        return { body: 'ok' };
      });
    });
    expect((await post(`${app.url}/p`, 'K')).status).toBe(500);
    expect(effects()).toBe(0);
    expect((await post(`${app.url}/p`, 'K')).text).toBe('ok');
    expect(effects()).toBe(1);
  });

  test('rolls back when another run has taken the key over', async () => {
    const { db, store, effects } = database();
    const app = await bench.serve(framework, { store, required: true }, async ({ idempotency }) => {
      db.exec("UPDATE spillway_idempotency SET token = 'another run'");
      await idempotency?.transaction<SqliteDatabase>((tx) => {
        note(tx, 'stale');
        return { body: 'never' };
      });
    });
    expect((await post(`${app.url}/p`, 'K')).status).toBe(500);
    expect(effects()).toBe(0);
  });

  test('refuses asynchronous work on SQLite and any work on a store without transactions', async () => {
    const { store, effects } = database();
    const app = await bench.serve(framework, { store, required: true }, async ({ idempotency }) => {
      await idempotency?.transaction<SqliteDatabase>(async (tx) => {
        note(tx, 'async');
        return { body: 'never' };
      });
    });
    expect((await post(`${app.url}/p`, 'K')).status).toBe(500);
    expect(effects()).toBe(0);
    const none = await bench.serve(
      framework,
      { store: memoryStore(), required: true },
      async ({ idempotency }) => {
        await idempotency?.transaction(() => ({ body: 'never' }));
      },
    );
    expect((await post(`${none.url}/p`, 'K')).status).toBe(500);
  });
});
