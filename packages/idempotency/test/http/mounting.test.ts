import { createServer, type RequestListener } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { memoryStore } from '@spillway/idempotency/memory';
import express from 'express';
import Koa from 'koa';
import { type IdempotentOptions, idempotent, koaIdempotent } from '../../src/index.js';
import { answerFor } from '../support/deaf.js';
import { eventually, gate, post } from '../support/wire.js';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

async function listen(app: RequestListener): Promise<string> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/p`;
}

/** An Express server whose callers are what their header says. */
function scoped(scope: (caller: string | undefined) => unknown): Promise<string> {
  const app = express();
  const options = { store: memoryStore(), scope: (req: express.Request) => scope(req.get('x-caller')) };
  app.use(idempotent(options as IdempotentOptions<express.Request>));
  let runs = 0;
  app.post('/p', (_req, res) => void res.json({ run: ++runs }));
  app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).json({ message: error.message });
  });
  return listen(app);
}

function from(caller: string): { headers: Record<string, string> } {
  return { headers: { 'x-caller': caller } };
}

test('A request that passes two of the middlewares takes its key once, in Express and in Koa.', async () => {
  const store = memoryStore();
  const app = express();
  app.use(idempotent({ store }));
  app.post('/p', idempotent({ store, required: true }), (_req, res) => void res.status(201).json({}));
  const koa = new Koa();
  koa.use(koaIdempotent({ store }));
  koa.use(koaIdempotent({ store, required: true }));
  koa.use((ctx) => {
    ctx.status = 201;
  });
  for (const [key, url] of [
    ['express', await listen(app)],
    ['koa', await listen(koa.callback())],
  ] as const) {
    expect((await post(url, key)).status).toBe(201);
    expect((await post(url, key)).headers['idempotent-replayed']).toBe('true');
  }
});

test('A caller may be named by a number; null and undefined both mean that nobody is known.', async () => {
  const url = await scoped((caller) => (caller === 'none' ? null : Number(caller)));
  const run = async (caller: string) => (await post(url, 'K', {}, from(caller))).json()['run'];
  expect([await run('1'), await run('2'), await run('none'), await run('1'), await run('none')]).toEqual([
    1, 2, 3, 1, 3,
  ]);
});

test('An object is no name of a caller: it is told, and no two callers become one.', async () => {
  const url = await scoped((caller) => ({ caller }));
  const answer = await post(url, 'K', {}, from('1'));
  expect([answer.status, answer.json()['message']]).toEqual([
    500,
    expect.stringContaining('scope: gave object'),
  ]);
});

test('An answer that Express cuts because its handler threw frees its key with the lease, and not before.', async () => {
  const app = express();
  app.use(idempotent({ store: memoryStore(), lease: '300ms' }));
  app.set('env', 'test');
  let runs = 0;
  app.post('/p', (_req, res) => {
    if (++runs > 1) return void res.status(201).json({});
    res.write('part');
    throw new Error('in the middle');
  });
  const url = await listen(app);
  await expect(post(url, 'K')).rejects.toThrow();
  expect((await post(url, 'K')).status).toBe(409);
  await eventually('the lease has lapsed', async () => (await post(url, 'K')).status === 201);
  expect(runs).toBe(2);
});

test('What Koa’s handler does after a 504 in its place is not done again, and what it fails to do is.', async () => {
  const app = new Koa();
  app.silent = true;
  app.use(async (ctx, next) => {
    await next().catch(() => undefined);
    if (ctx['late'] === true) ctx.respond = false;
  });
  app.use(koaIdempotent({ store: memoryStore(), required: true }));
  const runs = new Map<string, number>();
  app.use(async (ctx) => {
    const key = ctx.get('idempotency-key');
    const run = (runs.get(key) ?? 0) + 1;
    runs.set(key, run);
    ctx.status = 201;
    if (run > 1) return;
    ctx['late'] = true;
    await answerFor(ctx.res);
    if (key === 'fails') throw new Error('too late anyway');
  });
  const url = await listen(app.callback());
  for (const key of ['done', 'fails']) expect((await post(url, key)).status).toBe(504);
  await eventually('the failed one is free', async () => (await post(url, 'fails')).status === 201);
  const again = await post(url, 'done');
  expect([again.status, again.headers['idempotent-stored']]).toEqual([409, 'false']);
  expect([...runs.values()]).toEqual([1, 2]);
});

test('An answer that is stopped in the middle, as by a deadline, keeps its key beyond the lease while the handler lives.', async () => {
  const app = express();
  app.use(idempotent({ store: memoryStore(), lease: '150ms' }));
  let runs = 0;
  const finish = gate();
  app.post('/p', async (_req, res) => {
    runs++;
    res.status(201).write('part');
    res.destroy();
    await finish.opened;
    res.end('rest');
  });
  const url = await listen(app);
  await expect(post(url, 'K')).rejects.toThrow();
  const until = Date.now() + 400;
  while (Date.now() < until) expect((await post(url, 'K')).status).toBe(409);
  finish.open();
  await eventually('the answer is stored', async () => (await post(url, 'K')).status === 201);
  expect([(await post(url, 'K')).text, runs]).toEqual(['partrest', 1]);
});
