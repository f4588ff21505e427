import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { expressSpillway } from '@spillway/express';
import express, { type NextFunction, type Request, type Response } from 'express';
import express4 from 'express4';
import request from 'supertest';

const spillway = createSpillway({ service: 'shop', dependencies: { quotes: {} } });
const tell = (req: Request, res: Response) => {
  res.json({ service: req.spillway.service, known: 'spillway' in req });
};

afterEach(() => spillway.reset());

describe.each([
  ['Express 5', express],
  ['Express 4', express4 as unknown as typeof express],
])('req.spillway on %s', (_name, framework) => {
  it('is there in a mounted application, and in its error handlers', async () => {
    const app = framework();
    const inner = framework();
    app.use(expressSpillway(spillway));
    inner.get('/tell', tell);
    inner.get('/fail', () => {
      throw new Error('no');
    });
    inner.use((_error: unknown, req: Request, res: Response, _next: NextFunction) => tell(req, res));
    app.use('/inner', inner);
    for (const path of ['/inner/tell', '/inner/fail']) {
      expect((await request(app).get(path)).body).toEqual({ service: 'shop', known: true });
    }
  });

  it('stays when a mounted application that is guarded itself hands the request back', async () => {
    const app = framework();
    const inner = framework();
    inner.use(expressSpillway(spillway));
    app.use('/inner', inner);
    app.use(tell);
    expect((await request(app).get('/inner/none')).body).toEqual({ service: 'shop', known: true });
  });

  it('is there in an application that is mounted again and again, after it has served requests too', async () => {
    const inner = framework();
    inner.use(expressSpillway(spillway));
    inner.get('/tell', tell);
    expect((await request(inner).get('/tell')).body).toEqual({ service: 'shop', known: true });
    for (let i = 0; i < 2; i++) {
      const app = framework();
      app.use('/inner', inner);
      app.use(tell);
      for (const path of ['/inner/tell', '/inner/none']) {
        expect((await request(app).get(path)).body).toEqual({ service: 'shop', known: true });
      }
    }
  });

  it('is each request’s own, and undefined on those that no guard has seen', async () => {
    const app = framework();
    const seen = new Set<unknown>();
    app.get('/before', (req, res) => res.json({ has: req.spillway !== undefined }));
    app.use(expressSpillway(spillway));
    app.get('/seen', (req, res) => {
      seen.add(req.spillway);
      res.json({ same: seen.has(req.spillway) });
    });
    for (let i = 0; i < 3; i++) expect((await request(app).get('/seen')).body).toEqual({ same: true });
    expect(seen.size).toBe(3);
    expect((await request(app).get('/before')).body).toEqual({ has: false });
  });

  it('can be replaced, as a test of a handler may want', async () => {
    const app = framework();
    app.use(expressSpillway(spillway));
    app.use((req, _res, next) => {
      req.spillway = { service: 'a stand-in' } as Request['spillway'];
      next();
    });
    app.get('/', tell);
    expect((await request(app).get('/')).body).toEqual({ service: 'a stand-in', known: true });
  });
});

it('is given to requests of a plain server too, and to none of another one', async () => {
  const guard = expressSpillway(spillway);
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    const bare = 'spillway' in req;
    guard(req as Request, res as Response, () => {
      res.end(JSON.stringify({ bare, service: (req as Request).spillway.service }));
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  for (let i = 0; i < 2; i++) {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.json()).toEqual({ bare: false, service: 'shop' });
  }
  await new Promise((resolve) => server.close(resolve));
});
