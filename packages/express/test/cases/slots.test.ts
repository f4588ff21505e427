import { describe, expect, test } from '@jest/globals';
import { flakyServer } from '@spillway/testing';
import type { Response } from 'express';
import { EXPRESS, sleep, until } from '../support/app.js';
import { cleanUp, site } from './support/site.js';

const ONE = { inbound: { concurrency: 1 } } as const;

describe('the place of a request at the gate', () => {
  test('C-039 comes back when its client has left, whatever its handler does then', async () => {
    for (const [, express] of EXPRESS) {
      const handlers = ['throws', 'answers', 'waits'] as const;
      const ends: string[] = [];
      const shop = await site(
        express,
        (app) => {
          app.get('/throws', async (_req, _res, next) => {
            await sleep(20);
            next(new Error('too late'));
          });
          app.get('/answers', async (_req, res) => {
            await sleep(20);
            res.send('too late');
          });
          app.get('/waits', (req) => {
            req.spillway.signal.addEventListener('abort', () => ends.push('aborted'));
          });
          app.get('/fresh', (_req, res) => void res.status(304).end());
          app.get('/ok', (_req, res) => void res.send('fine'));
        },
        ONE,
      );
      for (const handler of handlers) {
        const client = shop.open(`/${handler}`);
        expect(await until(() => shop.inbound().inFlight === 1)).toBe(true);
        await sleep(10);
        client.destroy();
        expect(await until(() => shop.inbound().inFlight === 0)).toBe(true);
        expect((await shop.ask('/ok')).status).toBe(200);
        await sleep(30);
        expect(shop.inbound()).toMatchObject({ inFlight: 0, detached: 0 });
      }
      expect(ends).toEqual(['aborted']);
      expect((await shop.ask('/missing')).status).toBe(404);
      expect((await shop.ask('/ok', { method: 'HEAD' })).status).toBe(200);
      expect((await shop.ask('/fresh')).status).toBe(304);
      const socket = await shop.connect();
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      const one = 'GET /ok HTTP/1.1\r\nHost: test\r\n\r\n';
      socket.write(one + one + one);
      expect(await until(() => text.split('HTTP/1.1 ').length === 4)).toBe(true);
      expect(text.match(/HTTP\/1\.1 200/g)?.length).toBeGreaterThan(0);
      expect(await until(() => shop.inbound().inFlight === 0)).toBe(true);
      expect((await shop.ask('/ok')).body).toBe('fine');
    }
  }, 30_000);

  test('C-040 comes back when a client stops listening, and what it listened to is closed', async () => {
    const events = await flakyServer({ body: 'x'.repeat(1000), drip: { every: 5, bytes: 10 } });
    cleanUp(() => events.close());
    for (const [, express] of EXPRESS) {
      const hit = events.hits.length;
      const shop = await site(
        express,
        (app) => {
          app.get('/events', (req, res) => {
            const stream = req.spillway.client('events').stream('');
            stream.on('error', () => res.destroy());
            stream.pipe(res);
          });
          app.get('/ok', (_req, res) => void res.send('fine'));
        },
        { ...ONE, dependencies: { events: { baseUrl: events.url } } },
      );
      const client = shop.open('/events');
      let chunks = 0;
      client.on('response', (res) => {
        res.on('error', () => undefined);
        res.on('data', () => {
          chunks++;
          if (chunks === 2) client.destroy();
        });
      });
      expect(await until(() => events.hits[hit]?.closedAt !== undefined)).toBe(true);
      expect(chunks).toBe(2);
      expect(await until(() => shop.inbound().inFlight === 0)).toBe(true);
      expect((await shop.ask('/ok')).status).toBe(200);
      const bulkhead = () => shop.spillway.snapshot().dependencies[0]?.bulkhead;
      expect(await until(() => bulkhead()?.inUse === 0)).toBe(true);
    }
  }, 30_000);

  test('F-27 is held until the answer has been sent, not until the handler has returned', async () => {
    for (const [, express] of EXPRESS) {
      const responses: Response[] = [];
      const returned: string[] = [];
      const shop = await site(
        express,
        (app) => {
          app.get('/later', (_req, res) => {
            responses.push(res);
            returned.push('returned');
          });
        },
        ONE,
      );
      const answer = shop.ask('/later');
      expect(await until(() => returned.length === 1)).toBe(true);
      await sleep(50);
      expect(shop.inbound().inFlight).toBe(1);
      expect((await shop.ask('/later')).status).toBe(503);
      responses[0]?.send('fine');
      expect((await answer).status).toBe(200);
      expect(await until(() => shop.of('inbound.end').length > 0)).toBe(true);
      expect(shop.of('inbound.end').at(-1)?.durationMs).toBeGreaterThanOrEqual(49);
      expect(shop.inbound().inFlight).toBe(0);
    }
  }, 30_000);
});
