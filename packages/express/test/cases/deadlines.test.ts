import { describe, expect, jest, test } from '@jest/globals';
import { isSpillwayError } from '@spillway/core';
import { manualClock } from '@spillway/testing';
import type { NextFunction, Request, Response } from 'express';
import { spillwayRoute } from '../../src/index.js';
import { EXPRESS, sleep, until } from '../support/app.js';
import { cleanUp, site } from './support/site.js';

type Late = (req: Request, res: Response, next: NextFunction) => unknown;

/** What a handler may still do after its 504. */
const LATE: Readonly<Record<string, Late>> = {
  send: (_req, res) => res.send('late'),
  json: (_req, res) => res.status(201).json({ late: true }),
  redirect: (_req, res) => res.redirect('/elsewhere'),
  next: (_req, _res, next) => next(),
  fail: (_req, _res, next) => next(new Error('late')),
};

/** Everything that Express and Node say about errors. */
function overhear(): unknown[] {
  const said: unknown[] = [];
  const spies = (['error', 'warn'] as const).map((name) =>
    jest.spyOn(console, name).mockImplementation((...args) => void said.push(args)),
  );
  cleanUp(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return said;
}

describe('the deadline of a request', () => {
  test('C-062 is answered once, and what its handler does later does no harm', async () => {
    const said = overhear();
    for (const [name, express] of EXPRESS) {
      const acts = {
        ...LATE,
        ...(name === 'Express 5' && { throw: () => Promise.reject(new Error('late')) }),
      };
      const shop = await site(express, (app) => {
        app.set('env', 'development');
        for (const [path, act] of Object.entries(acts)) {
          app.get(`/${path}`, spillwayRoute({ deadline: '50ms' }), async (req, res, next) => {
            await sleep(100);
            return (act as Late)(req, res, next);
          });
        }
      });
      for (const path of Object.keys(acts)) {
        const before = shop.of('inbound.late').length;
        const answer = await shop.ask(`/${path}`);
        expect([path, answer.status]).toEqual([path, 504]);
        expect(JSON.parse(answer.body)).toMatchObject({ status: 504 });
        await until(() => shop.of('inbound.late').length > before, 400);
        await sleep(20);
        expect([path, shop.of('inbound.late').length - before]).toEqual([path, 1]);
      }
    }
    // an error that the application passes on is logged as such, and nothing else is
    expect(said.map(String).filter((line) => !line.startsWith('Error: late'))).toEqual([]);
  }, 30_000);

  test('C-063 that passes in the middle of an answer breaks it off, and so does a failure there', async () => {
    const said = overhear();
    for (const [, express] of EXPRESS) {
      const shop = await site(
        express,
        (app) => {
          app.get('/fails', (_req, res, next) => {
            res.write('half');
            setTimeout(() => next(new Error('in the middle')), 20);
          });
          app.get('/late', spillwayRoute({ deadline: '60ms', covers: 'response' }), (_req, res) => {
            res.write('half');
          });
        },
        { inbound: { concurrency: 1 } },
      );
      for (const path of ['/fails', '/late']) {
        let text = '';
        const socket = await shop.connect();
        const closed = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
        socket.on('data', (chunk) => {
          text += chunk;
        });
        socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`);
        await closed;
        expect(text).toContain('200 OK');
        expect(text).toMatch(/half\r\n$/);
        expect(text).not.toContain('0\r\n\r\n');
        expect(await until(() => shop.inbound().inFlight === 0)).toBe(true);
      }
      expect(shop.of('inbound.end').map(({ outcome }) => outcome)).toEqual(['aborted', 'failed']);
    }
    expect(said).toEqual([]);
  }, 30_000);

  test('C-068 is told from a client that has left, and leaves nothing behind', async () => {
    for (const [, express] of EXPRESS) {
      const clock = manualClock();
      const reasons: unknown[] = [];
      const shop = await site(
        express,
        (app) => {
          const wait = (req: Request) => {
            req.spillway.signal.addEventListener('abort', () => reasons.push(req.spillway.signal.reason));
          };
          app.get('/quick', spillwayRoute({ deadline: '200ms' }), wait);
          app.get('/slow', spillwayRoute({ deadline: '1s' }), wait);
        },
        {},
        { clock },
      );
      const socket = await shop.connect();
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      const ask = async (path: string) => {
        const before = shop.of('inbound.admitted').length;
        socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`);
        expect(await until(() => shop.of('inbound.admitted').length > before)).toBe(true);
      };
      await ask('/quick');
      await clock.advance(200);
      expect(await until(() => text.includes('504'))).toBe(true);
      expect(text).toMatch(/^HTTP\/1\.1 504 /);
      expect(socket.destroyed).toBe(false);

      text = '';
      await ask('/slow');
      await clock.advance(999);
      await sleep(20);
      expect(text).toBe('');
      await clock.advance(1);
      expect(await until(() => text.includes('504'))).toBe(true);
      await ask('/slow');
      socket.destroy();
      expect(await until(() => reasons.length === 3)).toBe(true);
      const codes = reasons.map((reason) => isSpillwayError(reason) && reason.code);
      expect(codes).toEqual(['ERR_DEADLINE_EXCEEDED', 'ERR_DEADLINE_EXCEEDED', 'ERR_CANCELLED']);
      const { detachAfterMs } = shop.spillway.config.inbound;
      await clock.advance(detachAfterMs);
      expect([clock.pending, shop.inbound().inFlight, shop.inbound().detached]).toEqual([0, 0, 0]);
    }
  }, 30_000);

  test('F-12 is kept by the answer while the handler runs on', async () => {
    for (const [, express] of EXPRESS) {
      const clock = manualClock();
      let finish: () => void = () => undefined;
      let running = 0;
      const shop = await site(
        express,
        (app) => {
          app.get('/', spillwayRoute({ deadline: '100ms' }), async (_req, res) => {
            running++;
            await new Promise<void>((resolve) => {
              finish = resolve;
            });
            running--;
            res.send('late');
          });
        },
        {},
        { clock },
      );
      const answer = shop.ask('/');
      expect(await until(() => running === 1)).toBe(true);
      await clock.advance(99);
      expect(shop.of('inbound.deadline')).toEqual([]);
      await clock.advance(1);
      expect((await answer).status).toBe(504);
      expect(shop.of('inbound.deadline')[0]?.elapsedMs).toBe(100);
      expect([running, shop.of('inbound.detached').length]).toEqual([1, 1]);
      finish();
      expect(await until(() => shop.of('inbound.late').length === 1)).toBe(true);
      expect([running, shop.inbound().detached]).toEqual([0, 0]);
    }
  }, 30_000);
});
