import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { manualClock } from '@spillway/testing';
import { delay, errorOf, eventually, scene, serve, wire } from '../support/scene.js';
import { failureOf } from '../support/stream-failure.js';

describe('a streamed answer', () => {
  test("tells of got's response, then gives the body", async () => {
    const { client } = await scene({ body: 'x'.repeat(300_000) });
    const stream = client.stream('v1');
    const [response] = await once(stream, 'response');
    expect(response).toMatchObject({ statusCode: 200, ok: true });
    expect(stream.response).toBe(response);
    expect(await text(stream)).toHaveLength(300_000);
  });

  test('waits for a reader that is slow', async () => {
    let written = 0;
    const { url } = await serve((_request, response) => {
      const chunk = Buffer.alloc(65_536);
      const pump = (): void => {
        while (written < 40_000_000 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pump);
        }
        response.end();
      };
      pump();
    });
    const stream = wire(url).client.stream('v1');
    await once(stream, 'response');
    await delay(100);
    expect(written).toBeLessThan(20_000_000);
    stream.destroy();
  });

  test('is decompressed', async () => {
    const { gzipSync } = await import('node:zlib');
    const { client } = await scene({ body: gzipSync('plain'), headers: { 'content-encoding': 'gzip' } });
    expect(await text(client.stream('v1'))).toBe('plain');
  });

  test('without a body ends', async () => {
    const { client } = await scene(204);
    expect(await text(client.stream('v1'))).toBe('');
    expect(await text(client.stream.head('v1'))).toBe('');
    expect(await text(client.stream('v1', { allowGetBody: true }))).toBe('');
  });

  test.each(['get', 'post', 'put', 'patch', 'delete'] as const)('%s', async (method) => {
    const { client, server } = await scene({ body: 'ok' });
    const stream = client.stream[method]('v1');
    if (method !== 'get') stream.end();
    expect(await text(stream)).toBe('ok');
    expect(server.hits[0]?.method).toBe(method.toUpperCase());
  });
});

describe('until the headers it is an operation like any other', () => {
  test('retried', async () => {
    const { client, server } = await scene([503, { reset: 'after-body' }, { body: 'fine' }]);
    expect(await text(client.stream('v1'))).toBe('fine');
    expect(server.count()).toBe(3);
  });

  test('failing with ERR_UPSTREAM', async () => {
    const { client, server } = await scene(503);
    const error = await failureOf(client.stream('v1'));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', status: 503, attempts: 3, stopped: 'attempts' });
    expect(error.cause).toMatchObject({ name: 'HTTPError', response: { statusCode: 503 } });
    expect(server.count()).toBe(3);
  });

  test("failing with got's HTTPError for an answer that is no failure", async () => {
    const { client, server } = await scene({ status: 404, body: 'none' });
    const error = await failureOf(client.stream('v1'));
    expect(error).toMatchObject({
      name: 'HTTPError',
      status: 502,
      response: { statusCode: 404, body: 'none' },
    });
    expect(server.count()).toBe(1);
  });

  test('giving that answer with throwHttpErrors: false', async () => {
    const { client } = await scene({ status: 404, body: 'none' });
    expect(await text(client.stream('v1', { throwHttpErrors: false }))).toBe('none');
  });

  test('but no failure even so', async () => {
    const { client, server } = await scene(503);
    const error = await failureOf(client.stream('v1', { throwHttpErrors: false }));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', cause: { name: 'HTTPError' } });
    expect(server.count()).toBe(3);
  });

  test('judged by classify', async () => {
    const { client, server } = await scene({ status: 503, body: 'down' });
    const pass = client.stream('v1', { throwHttpErrors: false, classify: () => 'success' });
    expect(await text(pass)).toBe('down');
    const fail = client.stream('v1', { throwHttpErrors: false, classify: () => 'failure', retry: false });
    expect(await failureOf(fail)).toMatchObject({ code: 'ERR_UPSTREAM' });
    await eventually(() => server.connections.open <= 1);
  });

  test('covered by the deadline', async () => {
    const clock = manualClock();
    const { client, server } = await scene({ stall: true }, {}, { clock });
    const failure = failureOf(client.stream('v1', { deadline: '50ms' }));
    await server.waitForHits(1);
    await clock.advance(50);
    expect((await failure).status).toBe(504);
  });

  test('and from there on by nothing of ours', async () => {
    const clock = manualClock();
    const { client } = await scene({ body: 'x'.repeat(12), drip: { every: 5 } }, {}, { clock });
    const stream = client.stream('v1');
    await once(stream, 'response');
    await clock.advance(60_000);
    expect(await text(stream)).toBe('x'.repeat(12));
    expect(clock.pending).toBe(0);
  });

  test('without a fallback', async () => {
    const { client } = await scene(503);
    expect(await failureOf(client.stream('v1', { fallback: () => 'x' } as never))).toMatchObject({
      code: 'ERR_CONFIG',
    });
  });
});

describe('its unit of the bulkhead', () => {
  test('is held to the end of the body', async () => {
    const { client } = await scene({ body: 'x'.repeat(400_000) }, { bulkhead: { concurrent: 1, queue: 0 } });
    const stream = client.stream('v1');
    await once(stream, 'response');
    expect(await errorOf(client.get('v1'))).toMatchObject({ code: 'ERR_BULKHEAD_FULL' });
    await text(stream);
    expect((await client.get('v1')).statusCode).toBe(200);
  });

  test('comes back when the stream is destroyed', async () => {
    const { client, server } = await scene(
      { stallBody: true, body: 'x'.repeat(1000) },
      { bulkhead: { concurrent: 1, queue: 0 } },
    );
    const stream = client.stream('v1');
    await once(stream, 'response');
    stream.destroy();
    await eventually(() => server.connections.open === 0);
    server.script(200);
    expect((await client.get('v1')).statusCode).toBe(200);
  });
});

describe('a body that ends early', () => {
  test('is an error of the stream, told as ERR_UPSTREAM', async () => {
    const { client } = await scene({ truncate: true, body: 'x'.repeat(1000) });
    const error = await failureOf(client.stream('v1'));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 502,
      sent: 'answered',
      cause: { name: 'ReadError' },
    });
  });
});

describe('what is written to a stream is the body of its request', () => {
  test('piped through', async () => {
    const { client, server } = await scene({ body: 'ok' });
    const stream = client.stream.post('v1', { headers: { 'content-type': 'text/plain' } });
    await pipeline(Readable.from(['one ', 'two ', 'x'.repeat(200_000)]), stream, new PassThrough().resume());
    expect(server.hits[0]?.body).toBe(`one two ${'x'.repeat(200_000)}`);
    expect(server.hits[0]?.headers['content-type']).toBe('text/plain');
  });

  test('once: there is one attempt', async () => {
    const { client, server } = await scene([503, 200]);
    const stream = client.stream.put('v1');
    stream.end('body');
    expect(await failureOf(stream)).toMatchObject({
      code: 'ERR_UPSTREAM',
      stopped: 'body-not-replayable',
      attempts: 1,
    });
    expect(server.hits.map(({ body }) => body)).toEqual(['body']);
  });

  test('unless an option gives it: then it is sent again', async () => {
    const { client, server } = await scene([503, { body: 'ok' }]);
    const stream = client.stream.put('v1', { json: { a: 1 } });
    expect(stream.writable).toBe(false);
    expect(await text(stream)).toBe('ok');
    expect(server.hits.map(({ body }) => body)).toEqual(['{"a":1}', '{"a":1}']);
  });

  test('or a function that makes none', async () => {
    const { client, server } = await scene({ body: 'ok' });
    expect(await text(client.stream.post('v1', { body: (() => undefined) as never }))).toBe('ok');
    expect(server.hits[0]?.body).toBe('');
  });

  test('or a function makes it, for each attempt', async () => {
    const { client, server } = await scene([503, { body: 'ok' }]);
    expect(await text(client.stream.put('v1', { body: () => Readable.from(['fresh']) }))).toBe('ok');
    expect(server.hits.map(({ body }) => body)).toEqual(['fresh', 'fresh']);
  });

  test('and a refusal before it was read ends the writer', async () => {
    const { client, server } = await scene(200, { breaker: {} });
    const { spillway } = { spillway: wire(server.url, { breaker: {} }).spillway };
    spillway.dependency('quotes').breaker.forceOpen();
    const stream = clients(spillway)('quotes').stream.post('v1');
    const error = await errorOf(pipeline(Readable.from(['x'.repeat(100_000)]), stream));
    expect(error).toMatchObject({ code: 'ERR_BREAKER_OPEN' });
    expect(client).toBeDefined();
    expect(server.count()).toBe(0);
  });
});
