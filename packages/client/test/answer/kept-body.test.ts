import { afterEach, describe, expect, it } from '@jest/globals';
import { createSpillway, RequestCall, staleIfError } from '@spillway/core';
import { type FlakyServer, flakyServer } from '@spillway/testing';
import { clients } from '../../src/index.js';

let upstream: FlakyServer;
let close = (): void => undefined;

afterEach(async () => {
  close();
  await upstream.close();
});

async function scene() {
  upstream = await flakyServer({ body: { price: 1 } });
  const spillway = createSpillway({
    service: 'test',
    dependencies: {
      quotes: {
        baseUrl: upstream.url,
        fallback: staleIfError({ maxAge: '1m', maxEntries: 10 }),
        retry: false as const,
        breaker: false as const,
      },
    },
  });
  close = () => spillway.close();
  const { clock } = spillway;
  const facts = {
    method: 'GET',
    attempt: 1,
    criticality: 'critical',
    idempotencyKey: undefined,
    callerScope: undefined,
  } as const;
  const call = new RequestCall(clock, clock.now(), Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, facts);
  return { client: clients(spillway, { parent: call })('quotes'), call };
}

describe('an answer that stands in for a later one', () => {
  it('is read in every form, each reader with a copy of its own, and is said to be old', async () => {
    const { client, call } = await scene();
    expect(await client.get('price?of=a').json()).toEqual({ price: 1 });
    await upstream.down();
    const first = await client.get('price?of=a').json<{ price: number }>();
    first.price = 2;
    expect(await client.get('price?of=a').json()).toEqual({ price: 1 });
    expect(await client.get('price?of=a').text()).toBe('{"price":1}');
    expect((await client.get('price?of=a').buffer()).toString()).toBe('{"price":1}');
    expect(await client.get('price?of=a')).toEqual({ statusCode: 200, body: '{"price":1}', degraded: true });
    expect([...call.degraded]).toEqual(['quotes;age=0']);
  });

  it('is not that to another URL, query and all, nor one of somebody who said who they are', async () => {
    const { client } = await scene();
    await client.get('price?of=a').json();
    const own = { headers: { Authorization: 'Bearer secret' } };
    await client.get('mine', own).json();
    await client.get('mine', { ...own, key: 'me' }).json();
    await upstream.down();
    await expect(client.get('price?of=b').json()).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
    await expect(client.get('mine', own).json()).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
    expect(await client.get('mine', { ...own, key: 'me' }).json()).toEqual({ price: 1 });
    await expect(client.get('mine', { ...own, key: 'you' }).json()).rejects.toMatchObject({
      code: 'ERR_UPSTREAM',
    });
  });
});
