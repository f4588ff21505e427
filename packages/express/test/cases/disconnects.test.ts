import { describe, expect, test } from '@jest/globals';
import { flakyServer } from '@spillway/testing';
import type { Request, Response } from 'express';
import { EXPRESS, sleep, until } from '../support/app.js';
import { cleanUp, site } from './support/site.js';

const JSON_POST = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"price":1}',
} as const;

describe('a client that goes away', () => {
  test('C-064 is not taken for one whose body has been read', async () => {
    for (const [, express] of EXPRESS) {
      for (const parserFirst of [false, true]) {
        const aborts: string[] = [];
        let isThere = false;
        const handler = async (req: Request, res: Response) => {
          req.spillway.signal.addEventListener('abort', () => aborts.push(req.path));
          const isLong = req.path === '/leaves';
          isThere = isLong;
          if (isLong) await until(() => res.closed);
          else await sleep(200);
          if (!res.closed) res.json({ got: req.body, aborted: req.spillway.signal.aborted });
        };
        const shop = await site(
          express,
          (app) => {
            if (!parserFirst) app.use(express.json());
            app.post(['/stays', '/leaves'], handler);
          },
          { inbound: { onDisconnect: 'cancel' } },
          { first: (app) => void (parserFirst && app.use(express.json())) },
        );
        const answer = await shop.ask('/stays', JSON_POST);
        expect([answer.status, JSON.parse(answer.body)]).toEqual([
          200,
          { got: { price: 1 }, aborted: false },
        ]);
        expect(aborts).toEqual([]);
        const client = shop.open('/leaves', JSON_POST);
        expect(await until(() => isThere, 10_000)).toBe(true);
        client.destroy();
        expect(await until(() => aborts.length > 0, 10_000)).toBe(true);
        await sleep(150);
        expect(aborts).toEqual(['/leaves']);
      }
    }
  }, 30_000);

  test('C-065 takes the calls made for it along', async () => {
    const quotes = await flakyServer({ stall: true });
    cleanUp(() => quotes.close());
    for (const [, express] of EXPRESS) {
      const hits = quotes.hits.length;
      const shop = await site(
        express,
        (app) => {
          app.get('/', (req, res, next) => {
            req.spillway
              .client('quotes')
              .get('')
              .then(({ body }) => res.send(body), next);
          });
        },
        { dependencies: { quotes: { baseUrl: quotes.url, retry: { backoff: { base: 1, cap: 1 } } } } },
      );
      const client = shop.open('/');
      await quotes.waitForHits(hits + 1);
      const hit = quotes.hits[hits];
      await sleep(50);
      const droppedAt = performance.now();
      client.destroy();
      expect(await until(() => hit?.closedAt !== undefined)).toBe(true);
      expect(performance.now() - droppedAt).toBeLessThan(1000);
      await sleep(50);
      expect(quotes.hits).toHaveLength(hits + 1);
      const dependency = shop.spillway.snapshot().dependencies[0];
      expect(dependency).toMatchObject({ retries: 0, operations: { cancelled: 1, failed: 0 } });
      expect(dependency?.breakers[0]).toMatchObject({ calls: 0, failures: 0 });
      expect(shop.of('inbound.end').map(({ outcome, status }) => [outcome, status])).toEqual([
        ['aborted', undefined],
      ]);
    }
  }, 30_000);
});
