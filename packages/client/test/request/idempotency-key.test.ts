import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { seededRandom } from '@spillway/core';
import { quoteKey, randomKey } from '../../src/request/idempotency-key.js';
import { inboundCall } from '../support/inbound.js';
import { errorOf, type Scene, scene } from '../support/scene.js';

const keysOf = ({ server }: Scene) => server.hits.map(({ headers }) => headers['idempotency-key']);

describe('a key of the user', () => {
  test.each([
    ['order-17', '"order-17"'],
    ['a "b" \\c', '"a \\"b\\" \\\\c"'],
    ['"order-17"', '"order-17"'],
    ['"', '"\\""'],
    ['x'.repeat(255), `"${'x'.repeat(255)}"`],
  ])('%j goes out as the String %s', (key, expected) => {
    expect(quoteKey('quotes', key)).toBe(expected);
  });

  test.each([[''], ['x'.repeat(256)], ['a\nb'], ['ü']])('%j is refused', async (key) => {
    const set = await scene(200);
    expect(await errorOf(set.client.post('v1', { idempotencyKey: key }))).toMatchObject({
      code: 'ERR_CONFIG',
    });
    expect(set.server.count()).toBe(0);
  });

  test('is the same on every attempt, and unlocks the retries of a POST', async () => {
    const set = await scene([503, 503, 200]);
    await set.client.post('v1', { json: { n: 1 }, idempotencyKey: 'order-17' });
    expect(keysOf(set)).toEqual(['"order-17"', '"order-17"', '"order-17"']);
  });

  test('set as a header is left as it is, and unlocks retries too', async () => {
    const set = await scene([503, 200]);
    await set.client.post('v1', { headers: { 'Idempotency-Key': 'bare' } });
    expect(keysOf(set)).toEqual(['bare', 'bare']);
  });
});

describe('a key of our own', () => {
  test('is a UUID, one per operation, the same on its attempts', async () => {
    const set = await scene([503, 200]);
    await set.client.post('v1', { idempotencyKey: true });
    await set.client.post('v1', { idempotencyKey: true });
    const [first, second, third] = keysOf(set);
    expect(first).toMatch(/^"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('comes out of the injected chance', () => {
    expect(randomKey(seededRandom(7))).toBe(randomKey(seededRandom(7)));
    expect(randomKey(seededRandom(7))).not.toBe(randomKey(seededRandom(8)));
  });

  test('is not sent unless asked for', async () => {
    const set = await scene(200);
    await set.client.post('v1');
    expect(keysOf(set)).toEqual([undefined]);
  });
});

describe('inside a request that came with a key', () => {
  const facts = { idempotencyKey: 'k-1', callerScope: 'alice' };

  async function derive(from: object = facts, secret: string | null = 's', options: object = {}) {
    const set = await scene(200, {}, {}, secret === null ? {} : { idempotency: { secret } });
    const client = clients(set.spillway, { parent: inboundCall(set.spillway, from) })('quotes');
    await client.post('v1', options);
    await client.post('v1', options);
    await client.post('v1', { ...options, operation: 'refund' });
    return keysOf(set);
  }

  test("each call gets a key derived from it, so a caller's retry deduplicates all the way down", async () => {
    const first = await derive();
    expect(await derive()).toEqual(first);
    expect(new Set(first).size).toBe(3);
    expect(first[0]).toMatch(/^"[\w-]{43}"$/);
    expect(first.join()).not.toContain('k-1');
  });

  test('a key means the same with quotes and without', async () => {
    const odd = 'a "b" \\c';
    expect(await derive({ ...facts, idempotencyKey: '"k-1"' })).toEqual(await derive());
    expect(await derive({ ...facts, idempotencyKey: '"a \\"b\\" \\\\c"' })).toEqual(
      await derive({ ...facts, idempotencyKey: odd }),
    );
  });

  test('the derived key differs by caller, key and secret', async () => {
    const keys = [
      await derive(),
      await derive({ ...facts, callerScope: 'bob' }),
      await derive({ ...facts, idempotencyKey: 'k-2' }),
      await derive(facts, 'other'),
      await derive(facts, null),
    ];
    expect(new Set(keys.map(([key]) => key)).size).toBe(keys.length);
  });

  test('`true` is answered with the derived key', async () => {
    expect(await derive(facts, 's', { idempotencyKey: true })).toEqual(await derive());
  });

  test('`false` sends none', async () => {
    expect(await derive(facts, 's', { idempotencyKey: false })).toEqual([undefined, undefined, undefined]);
  });

  test('an unasked key unlocks no retry: the dependency may not know keys', async () => {
    const set = await scene(503);
    const client = clients(set.spillway, { parent: inboundCall(set.spillway, facts) })('quotes');
    expect(await errorOf(client.post('v1'))).toMatchObject({ stopped: 'not-idempotent', attempts: 1 });
    expect(set.server.count()).toBe(1);
    expect(await errorOf(client.post('v1', { idempotencyKey: true }))).toMatchObject({ stopped: 'attempts' });
    expect(set.server.count()).toBe(4);
  });

  test.each([
    ['GET', {}],
    ['POST', { idempotencyKey: false }],
    ['POST', { propagate: false }],
  ])('%s of a dependency with %j gets none unasked', async (method, policy) => {
    const set = await scene(200, policy);
    await clients(set.spillway, { parent: inboundCall(set.spillway, facts) })('quotes')('v1', { method });
    expect(keysOf(set)).toEqual([undefined]);
  });
});

describe('409 with Retry-After', () => {
  const busy = { status: 409, headers: { 'retry-after': '0' } };

  test('on a request with a key is tried again like any other', async () => {
    const set = await scene([busy, 200]);
    await set.client.post('v1', { idempotencyKey: 'k' });
    expect(set.server.count()).toBe(2);
  });

  test("that stays is got's HTTPError", async () => {
    const set = await scene(busy);
    const error = await errorOf(set.client.post('v1', { idempotencyKey: 'k' }));
    expect(error).toMatchObject({ name: 'HTTPError', response: { statusCode: 409 } });
    expect(set.server.count()).toBe(3);
  });

  test('on a request without one is an answer', async () => {
    const set = await scene(busy);
    expect(await errorOf(set.client.post('v1'))).toMatchObject({ name: 'HTTPError' });
    expect(set.server.count()).toBe(1);
  });
});
