import { describe, expect, test } from '@jest/globals';
import { type Client, clients } from '@spillway/client';
import { createSpillway, type FallbackFunction } from '@spillway/core';
import { manualClock } from '@spillway/testing';
import { inboundCall } from '../support/inbound.js';
import { cleanUp, errorOf, eventually, scene } from '../support/scene.js';

describe('an answer', () => {
  test("is got's response, its body text", async () => {
    const { client } = await scene({ body: { price: 3 } });
    const response = await client.get('v1');
    expect(response).toMatchObject({ statusCode: 200, ok: true, body: '{"price":3}', retryCount: 0 });
    expect(Buffer.isBuffer(response.rawBody)).toBe(true);
  });

  test('is read as JSON, text or bytes, as often as asked', async () => {
    const { client, server } = await scene({ body: { price: 3 } });
    const promise = client.get('v1');
    const [json, again, text, bytes, response] = await Promise.all([
      promise.json(),
      promise.json(),
      promise.text(),
      promise.buffer(),
      promise,
    ]);
    expect(json).toEqual({ price: 3 });
    expect(again).toEqual({ price: 3 });
    expect(again).not.toBe(json);
    expect(text).toBe('{"price":3}');
    expect(bytes).toEqual(Buffer.from(text));
    expect(response.body).toBe(text);
    expect(server.count()).toBe(1);
  });

  test('is read after it came, too', async () => {
    const { client } = await scene({ body: { price: 3 } });
    const promise = client.get('v1');
    await promise;
    expect(await promise.json()).toEqual({ price: 3 });
  });

  test('that is empty is an empty text as JSON, as got has it', async () => {
    const { client } = await scene(204);
    expect(await client.get('v1').json()).toBe('');
  });

  test('is read with the parser, type and encoding asked for', async () => {
    const { client } = await scene({ body: '[1]' });
    expect(await client.get('v1', { parseJson: (text) => ({ text }) }).json()).toEqual({ text: '[1]' });
    expect((await client.get('v1', { responseType: 'json' })).body).toEqual([1]);
    expect(await client.get('v1', { responseType: 'json' }).json()).toEqual([1]);
    expect(await client.get('v1', { responseType: 'json' }).text()).toBe('[1]');
    expect(await client.get('v1', { responseType: 'buffer' }).json()).toEqual([1]);
    expect(await client.get('v1', { encoding: 'hex' }).text()).toBe('5b315d');
    const extended = client.extend({ parseJson: () => 'default' });
    expect(await extended.get('v1').json()).toBe('default');
  });

  test('asked for as JSON is asked of the server as JSON', async () => {
    const { client, server } = await scene({ body: '{}' });
    await client.get('v1').json();
    await client.get('v1').text();
    await client.get('v1', { headers: { Accept: 'application/hal+json' } }).json();
    expect(server.hits.map(({ headers }) => headers['accept'])).toEqual([
      'application/json',
      undefined,
      'application/hal+json',
    ]);
  });

  test('of JSON asked for late and not parsing is ERR_UPSTREAM all the same', async () => {
    const { client } = await scene({ body: '<html>' });
    const promise = client.get('v1');
    expect((await promise).body).toBe('<html>');
    expect(await errorOf(promise.json())).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 502,
      sent: 'answered',
    });
  });
});

describe('the methods', () => {
  test.each(['get', 'post', 'put', 'patch', 'delete', 'head'] as const)('%s', async (method) => {
    const { client, server } = await scene(200);
    const { [method]: request } = client;
    await request('v1');
    expect(server.hits[0]?.method).toBe(method.toUpperCase());
  });

  test('the client itself is a function', async () => {
    const { client, server } = await scene(200);
    await client('v1');
    await client('v1', { method: 'put' });
    expect(server.hits.map(({ method }) => method)).toEqual(['GET', 'PUT']);
    expect(await errorOf(client('v1', { method: 3 as never }))).toMatchObject({ code: 'ERR_CONFIG' });
  });
});

describe('throwHttpErrors: false', () => {
  test('gives the answer where it is no failure', async () => {
    const { client } = await scene({ status: 404, body: { why: 'gone' } });
    expect(await client.get('v1', { throwHttpErrors: false })).toMatchObject({ statusCode: 404, ok: false });
    expect(await client.get('v1', { throwHttpErrors: false }).json()).toEqual({ why: 'gone' });
  });

  test('as a default of the client, which a request may undo', async () => {
    const { client } = await scene(404, { client: { throwHttpErrors: false } });
    expect((await client.get('v1')).statusCode).toBe(404);
    expect(await errorOf(client.get('v1', { throwHttpErrors: true }))).toMatchObject({ name: 'HTTPError' });
  });

  test('leaves failures failures, with the answer as their cause', async () => {
    const { client, server } = await scene(503);
    const error = await errorOf(client.get('v1', { throwHttpErrors: false }));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 503,
      cause: { response: { statusCode: 503 } },
    });
    expect(server.count()).toBe(3);
  });

  test('gives a failure that classify does not hold for one', async () => {
    const { client } = await scene(503);
    const response = await client.get('v1', { throwHttpErrors: false, classify: () => 'success' });
    expect(response.statusCode).toBe(503);
  });
});

describe('a promise', () => {
  test('is a Promise, and what `then` makes of it is a plain one', async () => {
    const { client } = await scene(200);
    const promise = client.get('v1');
    expect(promise).toBeInstanceOf(Promise);
    const then = promise.then(({ statusCode }) => statusCode);
    expect(then.constructor).toBe(Promise);
    expect(await Promise.all([promise, then])).toMatchObject([{ statusCode: 200 }, 200]);
  });

  test('whose body alone is awaited leaves no rejection unhandled', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', note);
    cleanUp(() => process.off('unhandledRejection', note));
    const { client, server } = await scene(404);
    await errorOf(client.get('v1').json());
    await errorOf(client.get('../v1').text());
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unhandled).toEqual([]);
    expect(server.count()).toBe(1);
  });

  test('sends its request whether or not anybody awaits it', async () => {
    const { client, server } = await scene(200);
    client.post('v1').catch(() => undefined);
    expect(await server.waitForHits(1)).toHaveLength(1);
  });
});

describe('a fallback', () => {
  async function answering<A>(fallback: FallbackFunction<A>, status = 503) {
    const set = await scene(status);
    const spillway = createSpillway({
      dependencies: {
        quotes: { baseUrl: set.server.url, retry: false, fallback },
        spare: { baseUrl: set.server.url },
      },
    });
    cleanUp(() => spillway.close());
    const client: Client<A> = clients(spillway)('quotes') as never;
    return { client, server: set.server, spillway };
  }

  test('gives the body, in the form asked for', async () => {
    const { client } = await answering(() => ({ price: null }));
    expect(await client.get('v1').json<{ price: number }>()).toEqual({ price: null });
    expect(await client.get('v1').text()).toBe('{"price":null}');
    expect(await client.get('v1').buffer()).toEqual(Buffer.from('{"price":null}'));
    expect(await client.get('v1')).toEqual({ statusCode: 200, body: { price: null }, degraded: true });
  });

  test.each<[unknown, string]>([
    ['text', 'text'],
    [Buffer.from('bytes'), 'bytes'],
    [new Uint8Array([104, 105]), 'hi'],
    [undefined, ''],
    [null, 'null'],
    [3, '3'],
  ])('of %j reads %j as text and as bytes', async (value, text) => {
    const { client } = await answering(() => value);
    expect(await client.get('v1').json()).toBe(value);
    expect(await client.get('v1').text()).toBe(text);
    expect(await client.get('v1').buffer()).toEqual(Buffer.from(text));
  });

  test('hears the failure and what was asked', async () => {
    const { client } = await answering((failure, { method, path, operation }) => [
      failure.code,
      failure.status,
      method,
      path,
      operation,
    ]);
    expect(await client.get('v1/x?y=1').json()).toEqual(['ERR_UPSTREAM', 503, 'GET', '/v1/x', 'GET']);
  });

  test('does not run for 404, nor for a POST unless given for it', async () => {
    const { client, server } = await answering(() => 'mended');
    expect(await errorOf(client.post('v1').text())).toMatchObject({ code: 'ERR_UPSTREAM' });
    expect(await client.post('v1', { fallback: () => 'own' }).text()).toBe('own');
    expect(await errorOf(client.get('v1', { fallback: false }))).toMatchObject({ code: 'ERR_UPSTREAM' });
    server.script(404);
    expect(await errorOf(client.get('v1'))).toMatchObject({ name: 'HTTPError' });
  });

  test('does not run for HEAD: there is no body to give', async () => {
    const { client } = await answering(() => 'mended');
    expect(await errorOf(client.head('v1'))).toMatchObject({ code: 'ERR_UPSTREAM' });
    const own = { fallback: () => 'x' } as never;
    expect(await errorOf(client.head('v1', own))).toMatchObject({ code: 'ERR_CONFIG' });
  });

  test('mends an answer that does not parse', async () => {
    const { client, server } = await answering(() => ({ price: null }));
    server.script({ body: '<html>' });
    expect(await client.get('v1').json()).toEqual({ price: null });
    expect(await client.get('v1').text()).toBe('<html>');
  });

  test('marks the inbound request as degraded', async () => {
    const { server, spillway } = await answering(() => 'x');
    const parent = inboundCall(spillway as never);
    expect(await clients(spillway, { parent })('quotes').get('v1').text()).toBe('x');
    expect([...parent.degraded]).toEqual(['quotes']);
    expect(server.count()).toBe(1);
  });

  test('gets clients of other dependencies, but none that leads back to where it stands in', async () => {
    const spare = await scene({ body: { price: 1 } });
    const set = await scene(503);
    const ask: FallbackFunction<unknown> = (_failure, { client }) =>
      (client('spare') as Client).get('v1').json();
    const circle: FallbackFunction<unknown> = (_failure, { client }) =>
      (client('alias') as Client).get('v1').json();
    const spillway = createSpillway({
      dependencies: {
        quotes: { baseUrl: set.server.url, retry: false, fallback: ask },
        orders: { baseUrl: set.server.url, retry: false, fallback: circle },
        alias: { baseUrl: set.server.url },
        spare: { baseUrl: spare.server.url },
      },
    });
    cleanUp(() => spillway.close());
    const client = clients(spillway);
    expect(await client('quotes').get('v1').json()).toEqual({ price: 1 });
    expect(await errorOf(client('orders').get('v1').json())).toMatchObject({ code: 'ERR_FALLBACK_LOOP' });
    await eventually(() => spare.server.count() === 1);
  });
});

describe('options of the policy per request', () => {
  test('deadline', async () => {
    const clock = manualClock();
    const { client, server, events } = await scene({ stall: true }, {}, { clock });
    const failure = errorOf(client.get('v1', { deadline: '40ms' }));
    await server.waitForHits(1);
    await clock.advance(40);
    expect((await failure).status).toBe(504);
    expect(events.find(({ type }) => type === 'operation.end')).toMatchObject({ durationMs: 40 });
  });

  test('retry and operation', async () => {
    const { client, server, events } = await scene(503);
    await errorOf(client.get('v1', { retry: { attempts: 2 }, operation: 'price' }));
    expect(server.count()).toBe(2);
    const end = events.find(({ type }) => type === 'operation.end');
    expect(end).toMatchObject({ operation: 'price', attempts: 2 });
  });

  test('classify reads the response or the error', async () => {
    const { client, server } = await scene({ body: '{"error":"busy"}' });
    const classify = (result: unknown) =>
      (result as { body?: string }).body?.includes('busy') ? 'failure' : undefined;
    expect(await errorOf(client.get('v1', { classify }))).toMatchObject({
      code: 'ERR_UPSTREAM',
      attempts: 3,
    });
    expect(server.count()).toBe(3);
  });

  test('a wrong deadline rejects and sends nothing', async () => {
    const { client, server } = await scene(200);
    expect(await errorOf(client.get('v1', { deadline: '3 parsecs' as never }))).toMatchObject({
      code: 'ERR_CONFIG',
    });
    expect(server.count()).toBe(0);
  });
});
