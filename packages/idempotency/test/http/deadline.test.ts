import { createServer } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { expressSpillway } from '@spillway/express';
import { memoryStore } from '@spillway/idempotency/memory';
import express, { type NextFunction, type Request, type Response } from 'express';
import { idempotent } from '../../src/index.js';
import { eventually, gate, post } from '../support/wire.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A route with a deadline of 100 ms that the caller asked for, and a handler that takes its own time. */
async function serve(
  handler: (req: Request, res: Response, run: number) => Promise<unknown>,
  more: { readonly wait?: '10s' } = {},
) {
  const spillway = createSpillway({ service: 't', inbound: { deadline: { default: '30s' } } });
  const app = express();
  let runs = 0;
  app.use(expressSpillway(spillway), express.json());
  app.use(idempotent({ store: memoryStore(), required: true, lease: '10s', storeTimeout: '5s', ...more }));
  app.post('/p', (req, res, next) => {
    handler(req, res, ++runs).catch(next);
  });
  app.use((_error: unknown, _req: Request, res: Response, _next: NextFunction) => {
    res.status(500).json({ failed: true });
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
    spillway.close();
  });
  const { port } = server.address() as { port: number };
  const hurried = (headers: Record<string, string> = { 'x-request-budget-ms': '100' }) =>
    post(`http://127.0.0.1:${port}/p`, 'K', { a: 1 }, { headers });
  return { hurried, patient: () => hurried({}), runs: () => runs };
}

describe('a deadline that is answered while the handler runs on', () => {
  test('keeps the key in progress, and what was done is not done again', async () => {
    const finish = gate();
    const app = await serve(async (_req, res) => {
      await finish.opened;
      res.status(201).json({ done: true });
    });
    expect((await app.hurried()).status).toBe(504);
    expect((await app.patient()).status).toBe(409);
    finish.open();
    await eventually('the handler has ended', async () => {
      const { status, headers } = await app.patient();
      return status === 409 && headers['idempotent-stored'] === 'false';
    });
    expect(app.runs()).toBe(1);
  });

  test('frees the key when the handler fails afterwards', async () => {
    const finish = gate();
    const app = await serve(async (_req, res, run) => {
      if (run > 1) return res.status(201).json({ run });
      await finish.opened;
      throw new Error('too late anyway');
    });
    expect((await app.hurried()).status).toBe(504);
    expect((await app.patient()).status).toBe(409);
    finish.open();
    await eventually('the key is free', async () => (await app.patient()).status === 201);
    expect(app.runs()).toBe(2);
  });

  test('keeps a request that waited for the first one from running after its own 504', async () => {
    const finish = gate();
    const app = await serve(
      async (_req, res, run) => {
        if (run > 1) return res.status(201).json({ run });
        await finish.opened;
        throw new Error('the first one fails');
      },
      { wait: '10s' },
    );
    const first = app.patient();
    await eventually('the first one runs', () => app.runs() === 1);
    expect((await app.hurried()).status).toBe(504);
    finish.open();
    expect((await first).status).toBe(500);
    const next = await app.patient();
    expect([next.status, next.headers['idempotent-replayed'], app.runs()]).toEqual([201, undefined, 2]);
  });
});
