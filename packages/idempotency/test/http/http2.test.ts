import { type ClientHttp2Session, connect, createServer } from 'node:http2';
import { afterEach, expect, test } from '@jest/globals';
import { memoryStore } from '@spillway/idempotency/memory';
import fastify from 'fastify';
import Koa from 'koa';
import { fastifyIdempotent, koaIdempotent } from '../../src/index.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function serveKoa(): Promise<string> {
  const app = new Koa();
  app.use(koaIdempotent({ store: memoryStore(), required: true }));
  let runs = 0;
  app.use(async (ctx) => {
    let bytes = 0;
    for await (const chunk of ctx.req) bytes += (chunk as Buffer).length;
    ctx.status = 201;
    ctx.body = { run: ++runs, bytes };
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

async function serveFastify(): Promise<string> {
  const app = fastify({ http2: true });
  await app.register(fastifyIdempotent, { store: memoryStore(), required: true, all: true });
  app.addContentTypeParser('text/plain', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  let runs = 0;
  app.post('/p', async (request, reply) => {
    const body = request.body as Buffer | undefined;
    return reply.code(201).send({ run: ++runs, bytes: body?.length ?? 0 });
  });
  cleanups.push(() => app.close());
  return app.listen({ host: '127.0.0.1', port: 0 });
}

function post(session: ClientHttp2Session, key: string, body: string | undefined): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    const head = { ':method': 'POST', ':path': '/p', 'content-type': 'text/plain', 'idempotency-key': key };
    const stream = session.request(head, { endStream: body === undefined });
    let status = 0;
    let text = '';
    stream.on('response', (headers) => {
      status = headers[':status'] ?? 0;
    });
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    stream.on('error', reject);
    stream.on('end', () => resolve(status === 201 ? [status, text] : [status]));
    if (body !== undefined) stream.end(body);
  });
}

test.each([
  ['Koa', serveKoa],
  ['Fastify', serveFastify],
])('Over HTTP/2 %s answers whole, replays the same, and refuses another body.', async (_name, serve) => {
  const session = connect(await serve());
  cleanups.push(() => session.close());
  const big = 'x'.repeat(300_000);
  expect(await post(session, 'big', big)).toEqual([201, '{"run":1,"bytes":300000}']);
  expect(await post(session, 'big', big)).toEqual([201, '{"run":1,"bytes":300000}']);
  expect(await post(session, 'big', 'small')).toEqual([422]);
  expect(await post(session, 'none', undefined)).toEqual([201, '{"run":2,"bytes":0}']);
  expect(await post(session, 'none', undefined)).toEqual([201, '{"run":2,"bytes":0}']);
  expect(await post(session, 'empty', '')).toEqual([201, '{"run":3,"bytes":0}']);
});
