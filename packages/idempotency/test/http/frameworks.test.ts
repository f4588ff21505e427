import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { memoryStore } from '@spillway/idempotency/memory';
import type { Exchange } from '../support/frameworks.js';
import { FRAMEWORKS, type RunningApp } from '../support/frameworks.js';
import { post, send } from '../support/wire.js';

const running: RunningApp[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((app) => app.close()));
});

describe.each(FRAMEWORKS)('%s', (_name, framework) => {
  async function serve(
    handler: (exchange: Exchange, run: number) => unknown,
    options: object = {},
    parse?: 'before' | 'after' | 'none',
  ) {
    let runs = 0;
    const app = await framework.serve(
      { store: memoryStore(), required: true, ...options },
      (exchange) => handler(exchange, ++runs),
      parse,
    );
    running.push(app);
    return { url: app.url, runs: () => runs };
  }

  test('runs a request once and replays its answer with the marker', async () => {
    const app = await serve(({ send, body }, run) => send(201, { 'X-Run': String(run) }, { got: body, run }));
    const first = await post(`${app.url}/payments`, '"k1"');
    const second = await post(`${app.url}/payments`, 'k1');
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.text).toBe(first.text);
    expect(first.json()).toEqual({ got: { amount: 1 }, run: 1 });
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.headers['content-type']).toBe(first.headers['content-type']);
    expect(second.headers['content-length']).toBe(first.headers['content-length']);
    expect(app.runs()).toBe(1);
  });

  test('lets requests of other methods and without a key alone', async () => {
    const app = await serve(({ send, idempotency }) => send(200, {}, { seen: idempotency !== undefined }), {
      required: false,
    });
    expect((await send(`${app.url}/x`, { method: 'GET', key: 'k' })).json()).toEqual({ seen: false });
    expect((await post(`${app.url}/x`, undefined)).json()).toEqual({ seen: false });
    expect((await post(`${app.url}/x`, 'k')).json()).toEqual({ seen: true });
    expect(app.runs()).toBe(3);
  });

  test.each([
    [
      'a streamed answer',
      (x: Exchange) =>
        x.raw((res) => {
          res.writeHead(200, { 'Content-Type': 'text/csv' });
          Readable.from(['a,b\n', '1,2\n', '3,4\n']).pipe(res);
        }),
    ],
    [
      'a Buffer',
      (x: Exchange) =>
        x.send(200, { 'Content-Type': 'application/octet-stream' }, Buffer.from([0, 255, 254, 1, 128])),
    ],
    [
      'write and end',
      (x: Exchange) =>
        x.raw((res) => {
          res.statusCode = 202;
          res.setHeader('Content-Type', 'text/plain; charset=utf-8');
          res.write('caf\u00e9 ', 'utf8');
          res.write(Buffer.from('bytes '));
          res.end('68657821', 'hex');
        }),
    ],
    ['an empty 204', (x: Exchange) => x.send(204, { 'X-Empty': 'yes' })],
    [
      'an end without a body',
      (x: Exchange) =>
        x.raw((res) => {
          res.statusCode = 200;
          res.end();
        }),
    ],
    ['a redirect', (x: Exchange) => x.send(303, { Location: '/payments/1?a=b,c' }, 'see other')],
  ])('replays %s byte for byte', async (_what, handler) => {
    const app = await serve(handler);
    const first = await post(`${app.url}/r`, 'k');
    const second = await post(`${app.url}/r`, 'k');
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect(second.status).toBe(first.status);
    expect(second.body.equals(first.body)).toBe(true);
    expect(second.headers['content-type']).toBe(first.headers['content-type']);
    expect(second.headers.location).toBe(first.headers.location);
    expect(app.runs()).toBe(1);
  });

  test('a streamed answer reaches the first caller chunk by chunk', async () => {
    const app = await serve((x) =>
      x.raw((res) => {
        res.writeHead(200, { 'Content-Type': 'text/plain' });
        res.write('first;');
        setTimeout(() => res.end('last'), 150);
      }),
    );
    const response = await fetch(`${app.url}/s`, { method: 'POST', headers: { 'idempotency-key': 'k' } });
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    const began = Date.now();
    expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('first;');
    expect(Date.now() - began).toBeLessThan(120);
    expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('last');
  });

  test('replays the answer to a HEAD request with its Content-Length', async () => {
    const app = await serve(
      (x) =>
        x.raw((res) => {
          res.writeHead(200, { 'Content-Length': '42', 'Content-Type': 'text/plain' });
          res.end();
        }),
      { methods: ['HEAD'] },
    );
    const first = await send(`${app.url}/h`, { method: 'HEAD', key: 'k' });
    const second = await send(`${app.url}/h`, { method: 'HEAD', key: 'k' });
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect([first.headers['content-length'], second.headers['content-length']]).toEqual(['42', '42']);
    expect(app.runs()).toBe(1);
  });

  test('a handler that throws frees the key', async () => {
    const app = await serve(({ send }, run) => {
      if (run === 1) throw new Error('boom');
      return send(200, {}, { run });
    });
    expect((await post(`${app.url}/t`, 'k')).status).toBe(500);
    expect((await post(`${app.url}/t`, 'k')).json()).toEqual({ run: 2 });
  });

  test.each(['before', 'after', 'none'] as const)(
    'compares the raw bytes of the body with a parser %s it',
    async (parse) => {
      const app = await serve(({ send }) => send(200, {}, { ok: true }), {}, parse);
      const bodies = ['{"a":1,"b":2}', '{"b":2,"a":1}', '{"a":1, "b":2}'];
      const answers = [];
      for (const body of bodies) answers.push(await send(`${app.url}/b`, { key: 'k', body }));
      expect(answers.map(({ status }) => status)).toEqual([200, 422, 422]);
      expect((await send(`${app.url}/b`, { key: 'k', body: bodies[0] as string })).status).toBe(200);
      expect(app.runs()).toBe(1);
    },
  );

  test.each(['before', 'after'] as const)(
    'hands a large body on unharmed with a parser %s it',
    async (parse) => {
      const app = await serve(({ send, body }) => send(200, {}, { length: String(body).length }), {}, parse);
      const body = 'x'.repeat(3_000_000);
      const headers = { 'content-type': 'text/plain' };
      if (framework.name === 'fastify') headers['content-type'] = 'text/plain';
      expect((await send(`${app.url}/big`, { key: 'k', body, headers })).json()).toEqual({
        length: 3_000_000,
      });
      const other = `${'x'.repeat(2_999_999)}yy`;
      expect((await send(`${app.url}/big`, { key: 'k', body: other, headers })).status).toBe(422);
      expect((await send(`${app.url}/big`, { key: 'k', body, headers })).headers['idempotent-replayed']).toBe(
        'true',
      );
    },
  );

  test('hands on a body that comes in parts, chunked', async () => {
    const app = await serve(({ send, body }) => send(200, {}, { body }), {}, 'after');
    const headers = { 'content-type': 'application/json' };
    const parts = ['{"a":', '[1,2', ',3]}'];
    const first = await send(`${app.url}/c`, { key: 'k', parts, headers });
    expect(first.json()).toEqual({ body: { a: [1, 2, 3] } });
    const again = await send(`${app.url}/c`, { key: 'k', parts: ['{"a":[1,2,3]}'], headers });
    expect(again.headers['idempotent-replayed']).toBe('true');
  });
});
