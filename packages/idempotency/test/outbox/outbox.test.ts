import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import {
  bullmqOutbox,
  createOutbox,
  type Deferred,
  type DeliveryAnswer,
  isDeferred,
  type OutboxStore,
  sqliteOutbox,
} from '@spillway/idempotency/outbox';
import * as bullmq from 'bullmq';
import { Redis } from 'ioredis';
import { findRedis } from '../support/real-servers.js';
import { openSqlite, temporaryFolder, unique } from '../support/store-rigs.js';
import { eventually } from '../support/wire.js';

const redis = await findRedis();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(() => redis?.dispose(), 30_000);

type Make = () => Promise<OutboxStore>;

async function onSqlite(): Promise<OutboxStore> {
  const folder = temporaryFolder();
  const db = openSqlite(join(folder.path, 'outbox.db'));
  cleanups.push(
    () => folder.remove(),
    () => db.close(),
  );
  return sqliteOutbox(db);
}

async function onBullMq(): Promise<OutboxStore> {
  const { hostname: host, port } = new URL((redis as { url: string }).url);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const client = new Redis((redis as { url: string }).url);
  const store = await bullmqOutbox({ bullmq, connection, redis: client, name: unique('q') });
  cleanups.push(
    () => client.disconnect(),
    () => store.close(),
  );
  return store;
}

const makers: [string, Make][] = [['sqlite', onSqlite]];
if (redis !== undefined) makers.push(['bullmq', onBullMq]);

/** An outbox before a bank whose answers the test decides. */
async function set(
  make: Make,
  answer: (key: string, path: string) => Promise<DeliveryAnswer>,
  more: object = {},
) {
  const spillway = createSpillway({
    service: 't',
    dependencies: {
      bank: { retry: false, breaker: { minCalls: 2, consecutive: 2, openFor: '300ms', jitter: 0 } },
    },
  });
  const sent: string[] = [];
  const outbox = createOutbox({
    store: await make(),
    spillway,
    every: '20ms',
    schedule: { base: '30ms', cap: '60ms' },
    deliver: (write) => {
      sent.push(write.key);
      return answer(write.key, write.request.path);
    },
    ...more,
  });
  cleanups.push(() => outbox.stop());
  const add = (key: string, order?: string) =>
    outbox.add('bank', {
      path: `charges/${key}`,
      json: { key },
      key,
      ...(order === undefined ? {} : { order }),
    });
  const state = async ({ id }: Deferred) => (await outbox.status(id))?.state;
  return { spillway, outbox, sent, add, state };
}

const ok = async () => ({ status: 201 });

describe.each(makers)('an outbox on %s', (_name, make) => {
  test('as a fallback, answers with a place to look and delivers under the operation’s key when the breaker closes', async () => {
    let down = true;
    const { spillway, outbox, sent, state } = await set(make, async () => {
      if (down) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      return { status: 201 };
    });
    outbox.start();
    const bank = spillway.dependency('bank');
    const charge = (key: string) =>
      bank.call(() => Promise.reject(new Error('down')), {
        idempotencyKey: key,
        fallback: outbox.defer('bank', { path: 'charges', json: { amount: 1 }, key }),
      });
    const answers = await Promise.all(['a', 'b', 'c'].map(charge));
    expect(answers.every(isDeferred)).toBe(true);
    const [first] = answers as unknown as Deferred[];
    expect(first?.location).toBe(`/outbox/${first?.id}`);
    await eventually('the breaker is open', () => bank.breaker.state === 'open');
    await sleep(100);
    const before = sent.length;
    down = false;
    await eventually('all are done', async () => (await outbox.list({ state: 'done' })).length === 3, 15_000);
    expect(await state(first as Deferred)).toBe('done');
    expect(sent.length).toBeGreaterThan(before);
    expect(new Set(sent)).toEqual(new Set(['a', 'b', 'c']));
  }, 30_000);

  test('sends the writes of one order one at a time and in it, others beside them', async () => {
    let running = 0;
    let most = 0;
    const busy = new Set<string>();
    const { outbox, sent, add } = await set(
      make,
      async (key) => {
        const lane = key[0] as string;
        expect(busy.has(lane)).toBe(false);
        busy.add(lane);
        most = Math.max(most, ++running);
        await sleep(10);
        running--;
        busy.delete(lane);
        return { status: 201 };
      },
      { concurrent: 4 },
    );
    for (let i = 0; i < 5; i++) for (const lane of ['x', 'y', 'z']) await add(`${lane}${i}`, lane);
    outbox.start();
    await eventually(
      'all are done',
      async () => (await outbox.list({ state: 'done' })).length === 15,
      20_000,
    );
    for (const lane of ['x', 'y', 'z']) {
      expect(sent.filter((key) => key.startsWith(lane))).toEqual([0, 1, 2, 3, 4].map((i) => `${lane}${i}`));
    }
    expect(most).toBeGreaterThan(1);
  }, 40_000);

  test('gives up on a definite refusal and after the cap; the order waits until the dead one is retried or dropped', async () => {
    const answers = new Map([
      ['bad', 422],
      ['sick', 500],
    ]);
    const { outbox, sent, add, state } = await set(
      make,
      async (key) => ({ status: answers.get(key) ?? 201 }),
      {
        attempts: 3,
      },
    );
    const bad = await add('bad', 'one');
    const behind = await add('behind', 'one');
    const sick = await add('sick');
    outbox.start();
    await eventually(
      'both are dead',
      async () => (await outbox.list({ state: 'dead' })).length === 2,
      20_000,
    );
    expect(sent.filter((key) => key === 'bad')).toHaveLength(1);
    expect(sent.filter((key) => key === 'sick')).toHaveLength(3);
    expect((await outbox.list({ state: 'dead' })).find(({ key }) => key === 'bad')).toMatchObject({
      status: 422,
      attempts: 1,
    });
    expect(await state(behind)).toBe('waiting');
    expect(await outbox.drop(bad.id)).toBe(true);
    expect(await outbox.retry(bad.id)).toBe(false);
    await eventually('the one behind is sent', async () => (await state(behind)) === 'done', 20_000);
    answers.set('sick', 200);
    expect(await outbox.retry(sick.id)).toBe(true);
    await eventually('the retried one is sent', async () => (await state(sick)) === 'done', 20_000);
    expect(await outbox.status(bad.id)).toBeUndefined();
  }, 60_000);

  test('a write behind a dead one waits at every look, and can be dropped at any time', async () => {
    const { outbox, add, state, sent } = await set(make, async () => ({ status: 422 }), { every: '1ms' });
    await add('bad', 'one');
    const behind = await Promise.all(Array.from({ length: 20 }, (_, i) => add(`behind${i}`, 'one')));
    outbox.start();
    await eventually('it is dead', async () => (await outbox.list({ state: 'dead' })).length === 1, 20_000);
    for (let round = 0; round < 10; round++) {
      const states = await Promise.all(behind.map(state));
      expect(states).toEqual(behind.map(() => 'waiting'));
      expect(await outbox.list({ state: 'sending' })).toEqual([]);
      expect(await outbox.list({ state: 'waiting' })).toHaveLength(20);
    }
    for (const { id } of behind) expect(await outbox.drop(id)).toBe(true);
    expect(sent).toEqual(['bad']);
  }, 40_000);

  test('the same key is one write, another request under it is refused, and so is one too many', async () => {
    const { outbox, add } = await set(make, ok, { capacity: 2 });
    const first = await add('a');
    expect((await add('a')).id).toBe(first.id);
    await expect(outbox.add('bank', { path: 'other', key: 'a' })).rejects.toMatchObject({
      code: 'ERR_IDEMPOTENCY_MISMATCH',
    });
    await add('b');
    await expect(add('c')).rejects.toMatchObject({ code: 'ERR_OVERLOADED', status: 503 });
    await expect(outbox.add('nobody', { path: 'x' })).rejects.toMatchObject({
      code: 'ERR_UNKNOWN_DEPENDENCY',
    });
    expect((await outbox.list({ dependency: 'bank' })).map(({ key }) => key).sort()).toEqual(['a', 'b']);
  }, 30_000);

  test('a write that is being sent cannot be dropped, and stop waits for it', async () => {
    let finish: () => void = () => {};
    const { outbox, add, sent } = await set(
      make,
      () =>
        new Promise((resolve) => {
          finish = () => resolve({ status: 201 });
        }),
    );
    const write = await add('a');
    outbox.start();
    await eventually('it is being sent', () => sent.length === 1);
    expect(await outbox.drop(write.id)).toBe(false);
    let stopped = false;
    const stopping = outbox.stop().then(() => {
      stopped = true;
    });
    await sleep(50);
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect((await outbox.status(write.id))?.state).toBe('done');
  }, 30_000);
});
