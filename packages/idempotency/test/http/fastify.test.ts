import { Readable } from 'node:stream';
import { afterEach, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { fastifySpillway } from '@spillway/fastify';
import { memoryStore } from '@spillway/idempotency/memory';
import fastify, { type FastifyInstance } from 'fastify';
import { fastifyIdempotent } from '../../src/index.js';
import { answerFor } from '../support/deaf.js';
import { eventually, gate, send } from '../support/wire.js';

const apps: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

async function serve(routes: (app: FastifyInstance) => void): Promise<string> {
  const app = fastify();
  apps.push(app);
  await app.register(fastifyIdempotent, { store: memoryStore(), required: true, all: true });
  routes(app);
  return app.listen({ host: '127.0.0.1', port: 0 });
}

test('A body that a parser hands on unread is compared as a whole, and its handler still reads all of it.', async () => {
  const url = await serve((app) => {
    app.addContentTypeParser('application/octet-stream', (_request, payload, done) => done(null, payload));
    app.post('/p', async (request) => {
      let bytes = 0;
      for await (const chunk of request.body as Readable) bytes += (chunk as Buffer).length;
      return { bytes };
    });
  });
  const upload = (body: string) =>
    send(`${url}/p`, { key: 'K', body, headers: { 'content-type': 'application/octet-stream' } });
  const body = 'x'.repeat(200_000);
  expect((await upload(body)).json()).toEqual({ bytes: 200_000 });
  expect((await upload(body)).headers['idempotent-replayed']).toBe('true');
  expect((await upload(`${body.slice(1)}y`)).status).toBe(422);
});

test('The replay of an answer without a content type has none either.', async () => {
  const url = await serve((app) => {
    app.post('/p', (_request, reply) => reply.code(201).send(Readable.from(['a', 'b', 'c'])));
  });
  const answers = [
    await send(`${url}/p`, { key: 'K', body: '{}' }),
    await send(`${url}/p`, { key: 'K', body: '{}' }),
  ];
  expect(answers.map(({ status, text }) => [status, text])).toEqual([
    [201, 'abc'],
    [201, 'abc'],
  ]);
  expect(answers.map(({ headers }) => headers['content-type'])).toEqual([undefined, undefined]);
  expect(answers[1]?.headers['idempotent-replayed']).toBe('true');
});

test('What a handler does after a 504 in its place is not done again, and what it fails to do is.', async () => {
  const runs = new Map<string, number>();
  const url = await serve((app) => {
    app.post('/p', async (request, reply) => {
      const key = String(request.headers['idempotency-key']);
      const run = (runs.get(key) ?? 0) + 1;
      runs.set(key, run);
      if (run > 1) return reply.code(201).send();
      reply.hijack();
      await answerFor(reply.raw);
      if (key === 'fails') throw new Error('too late anyway');
      // Whoever keeps the handler's late end to itself says so.
      if (key === 'told')
        (request as unknown as Record<symbol, (failed: boolean) => void>)[Symbol.for('spillway.handled')]?.(
          true,
        );
      return key === 'told' ? undefined : { done: true };
    });
  });
  const ask = (key: string) => send(`${url}/p`, { key, body: '{}' });
  for (const key of ['done', 'fails', 'told']) expect((await ask(key)).status).toBe(504);
  await eventually('the failed one is free', async () => (await ask('fails')).status === 201);
  await eventually('the one that was told is free', async () => (await ask('told')).status === 201);
  const again = await ask('done');
  expect([again.status, again.headers['idempotent-stored']]).toEqual([409, 'false']);
  expect([...runs.values()]).toEqual([1, 2, 2]);
});

test('The same holds behind a spillway registered first, which answers 504 and keeps the late end to itself.', async () => {
  const spillway = createSpillway({ service: 't', inbound: { deadline: { default: '30s' } } });
  const finish = gate();
  const runs = new Map<string, number>();
  const app = fastify();
  apps.push(app);
  await app.register(fastifySpillway, { spillway });
  await app.register(fastifyIdempotent, { store: memoryStore(), required: true, all: true });
  app.post('/p', async (request, reply) => {
    const key = String(request.headers['idempotency-key']);
    const run = (runs.get(key) ?? 0) + 1;
    runs.set(key, run);
    if (run > 1) return reply.code(201).send();
    await finish.opened;
    if (key === 'fails') throw new Error('too late anyway');
    return { done: true };
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  const ask = (key: string, headers: Record<string, string> = {}) =>
    send(`${url}/p`, { key, body: '{}', headers });
  for (const key of ['done', 'fails']) {
    expect((await ask(key, { 'x-request-budget-ms': '100' })).status).toBe(504);
    expect((await ask(key)).status).toBe(409);
  }
  finish.open();
  await eventually('the failed one is free', async () => (await ask('fails')).status === 201);
  await eventually(
    'the other one has ended',
    async () => (await ask('done')).headers['idempotent-stored'] === 'false',
  );
  expect([...runs.values()]).toEqual([1, 2]);
  spillway.close();
});
