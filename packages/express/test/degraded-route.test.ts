import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type FlakyServer, flakyServer } from '@spillway/testing';
import type { Request, Response } from 'express';
import supertest from 'supertest';
import { withFallback } from '../src/index.js';
import { EXPRESS, sleep, startApp, type TestApp, until } from './support/app.js';

const degraded = (_failure: unknown, _req: Request, res: Response) => {
  res.json({ degraded: true });
};

describe.each(EXPRESS)('a dependency that is down, on %s', (_name, express) => {
  let upstream: FlakyServer;
  let running: TestApp;

  afterEach(async () => {
    await running.close();
    await upstream.close();
  });

  async function start(script: Parameters<typeof flakyServer>[0]): Promise<void> {
    upstream = await flakyServer(script);
    running = await startApp(
      express,
      (app) => {
        app.get(
          '/price/:symbol',
          withFallback(async (req, res) => {
            const symbol = encodeURIComponent(String(req.params['symbol']));
            res.json(await req.spillway.client('quotes').get(`v1/${symbol}`).json());
          }, degraded),
        );
        app.get('/bare', async (req, res, next) => {
          req.spillway
            .client('quotes')
            .get('v1/x')
            .json()
            .then((body) => res.json(body), next);
        });
      },
      { dependencies: { quotes: { baseUrl: upstream.url, retry: { backoff: { base: 1 } } } } },
    );
  }

  it('has its route answer degraded', async () => {
    await start(503);
    const reply = await supertest(running.server).get('/price/acme');
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ degraded: true });
    expect(reply.headers['x-degraded']).toBe('quotes');
    expect(upstream.count()).toBe(3);
  });

  it('tells its caller that the operation has been retried already', async () => {
    await start(503);
    const reply = await supertest(running.server).get('/bare');
    expect(reply.status).toBe(503);
    expect(reply.headers['x-should-retry']).toBe('false');
  });

  it('has its socket closed within 100 ms when the client of a GET hangs up, and no retry follows', async () => {
    await start({ stall: true });
    const times: number[] = [];
    for (let i = 1; i <= 3; i++) {
      const outgoing = httpRequest(`${running.url}/price/acme`);
      outgoing.on('error', () => undefined);
      outgoing.end();
      await upstream.waitForHits(i);
      const began = performance.now();
      outgoing.destroy();
      expect(await until(() => upstream.connections.open === 0)).toBe(true);
      times.push(performance.now() - began);
    }
    // a machine that is busy with other things may take longer once
    expect(Math.min(...times)).toBeLessThan(100);
    await sleep(50);
    expect(upstream.count()).toBe(3);
    expect(running.spillway.snapshot().dependencies[0]).toMatchObject({ inFlight: 0 });
    expect(running.of('operation.end').map(({ outcome }) => outcome)).toEqual(Array(3).fill('cancelled'));
  });
});
