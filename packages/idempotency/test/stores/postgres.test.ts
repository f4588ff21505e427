import { afterAll, expect, test } from '@jest/globals';
import { postgresStore } from '@spillway/idempotency/postgres';
import pg from 'pg';
import { AMPLE } from '../support/boxes.js';
import { findPostgres } from '../support/real-servers.js';
import { unique } from '../support/store-rigs.js';

const postgres = await findPostgres();
afterAll(() => postgres?.dispose(), 30_000);

/** Fifty claims of one key at once, each run to its end; the kinds of answer, and who owns the key. */
async function contend(pool: pg.Pool): Promise<{ kinds: Set<string>; owners: number }> {
  const table = unique('isolation');
  const store = postgresStore(pool, { table });
  await store.migrate();
  try {
    const claims = Array.from({ length: 50 }, (_, i) => ({
      fingerprint: 'f',
      token: `t${i}`,
      leaseMs: 30_000,
      ttlMs: 86_400_000,
    }));
    const begun = await Promise.all(claims.map((claim) => store.begin('K', claim, AMPLE)));
    const owner = begun.findIndex(({ kind }) => kind === 'run');
    const changes = claims.map(({ token }) => store.complete('K', token, 'answer', AMPLE));
    const completed = await Promise.all(changes);
    expect(completed.map((isDone, i) => isDone === (i === owner))).not.toContain(false);
    return {
      kinds: new Set(begun.map(({ kind }) => kind)),
      owners: begun.filter(({ kind }) => kind === 'run').length,
    };
  } finally {
    await pool.query(`DROP TABLE ${table}`);
    await pool.end();
  }
}

test('PostgreSQL sessions that are serializable by default fight over a key without an error.', async () => {
  // it has been said aloud that there is no server
  if (postgres === undefined) {
    expect(postgres).toBeUndefined();
    return;
  }
  const options = '-c default_transaction_isolation=serializable';
  const { kinds, owners } = await contend(new pg.Pool({ connectionString: postgres.url, options, max: 20 }));
  expect([kinds, owners]).toEqual([new Set(['run', 'in-progress']), 1]);
});

test('Processes that start at once may all migrate.', async () => {
  if (postgres === undefined) {
    expect(postgres).toBeUndefined();
    return;
  }
  const table = unique('migrate');
  const pool = new pg.Pool({ connectionString: postgres.url, max: 12 });
  const stores = Array.from({ length: 12 }, () => postgresStore(pool, { table }));
  const done = await Promise.allSettled(stores.map((store) => store.migrate()));
  await pool.query(`DROP TABLE ${table}`);
  await pool.end();
  expect(done.filter(({ status }) => status === 'rejected')).toEqual([]);
});
