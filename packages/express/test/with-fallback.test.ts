import { afterEach, describe, expect, it } from '@jest/globals';
import { spillwayError } from '@spillway/core';
import type { Express, Request, Response } from 'express';
import supertest from 'supertest';
import { spillwayRoute, withFallback } from '../src/index.js';
import { EXPRESS, sleep, startApp, type TestApp, type TestAppOptions, until } from './support/app.js';

const unhandled: unknown[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));

const failure = () =>
  spillwayError('ERR_UPSTREAM', 'quotes failed', { dependency: 'quotes', status: 503, retryAfterMs: 3000 });
const degraded = (_failure: unknown, _req: Request, res: Response) => {
  res.json({ degraded: true });
};

describe.each(EXPRESS)('withFallback on %s', (_name, express) => {
  let running: TestApp;

  afterEach(async () => {
    await running.close();
    expect(unhandled).toEqual([]);
  });

  async function start(routes: (app: Express) => void, options?: TestAppOptions): Promise<TestApp> {
    running = await startApp(express, routes, options);
    return running;
  }

  const get = (headers: Record<string, string> = {}, path = '/') =>
    supertest(running.server).get(path).set(headers);

  it.each<[string, (app: Express) => void]>([
    [
      'rejects',
      (app) =>
        app.get(
          '/',
          withFallback(async () => Promise.reject(failure()), degraded),
        ),
    ],
    [
      'throws',
      (app) =>
        app.get(
          '/',
          withFallback(() => {
            throw failure();
          }, degraded),
        ),
    ],
    [
      'calls next',
      (app) =>
        app.get(
          '/',
          withFallback((_q, _r, next) => next(failure()), degraded),
        ),
    ],
  ])(
    'answers when the handler %s with a failure of Spillway, and says who was stood in for',
    async (_h, routes) => {
      await start(routes);
      const reply = await get();
      expect(reply.status).toBe(200);
      expect(reply.body).toEqual({ degraded: true });
      expect(reply.headers['x-degraded']).toBe('quotes');
      expect(reply.headers).not.toHaveProperty('retry-after');
    },
  );

  it('gets the failure, with its cause', async () => {
    const seen: unknown[] = [];
    const error = spillwayError('ERR_UPSTREAM', 'x', { cause: new Error('503') });
    await start((app) => {
      app.get(
        '/',
        withFallback(
          async () => Promise.reject(error),
          (given, _req, res) => {
            seen.push(given);
            res.end();
          },
        ),
      );
    });
    await get();
    expect(seen).toEqual([error]);
    expect((seen[0] as Error).cause).toBeInstanceOf(Error);
  });

  it.each<[string, () => unknown, number]>([
    ['a TypeError', () => new TypeError('bug'), 500],
    ['an HTTPError', () => Object.assign(new Error('not found'), { status: 404 }), 404],
    ['misuse', () => spillwayError('ERR_UNKNOWN_DEPENDENCY', 'x'), 500],
    ['a circle of fallbacks', () => spillwayError('ERR_FALLBACK_LOOP', 'x'), 500],
  ])('lets %s pass to the error handlers', async (_what, error, status) => {
    await start((app) => {
      app.get(
        '/',
        withFallback(async () => Promise.reject(error()), degraded),
      );
    });
    const reply = await get();
    expect(reply.status).toBe(status);
    expect(reply.headers).not.toHaveProperty('x-degraded');
  });

  it('does not run once headers are out', async () => {
    let ran = false;
    await start((app) => {
      app.get(
        '/',
        withFallback(
          async (_req, res) => {
            res.write('part');
            await sleep(5);
            throw failure();
          },
          () => {
            ran = true;
          },
        ),
      );
    });
    await expect(get()).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    expect(ran).toBe(false);
  });

  it('passes what the fallback throws on, with the failure as its cause and its status', async () => {
    const seen: Error[] = [];
    await start((app) => {
      app.get(
        '/',
        withFallback(
          async () => Promise.reject(failure()),
          async () => {
            throw new Error('no cache either');
          },
        ),
      );
      app.use(((error, _req, _res, next) => {
        seen.push(error);
        next(error);
      }) as import('express').ErrorRequestHandler);
    });
    const reply = await get();
    expect(reply.status).toBe(503);
    expect(reply.headers['retry-after']).toBe('3');
    expect(reply.headers).not.toHaveProperty('x-degraded');
    expect(seen[0]?.message).toBe('no cache either');
    expect(seen[0]?.cause).toMatchObject({ code: 'ERR_UPSTREAM' });
  });

  it('does not run when the handler answers in time', async () => {
    await start((app) => {
      app.get(
        '/',
        withFallback(async (_req, res) => {
          await sleep(50);
          res.json({ handler: true });
        }, degraded),
      );
    });
    expect((await get({ 'X-Request-Budget-Ms': '1500' })).body).toEqual({ handler: true });
    expect(running.of('inbound.late')).toEqual([]);
  });

  it('runs when half of the margin is left, and the handler that goes on does no harm', async () => {
    let lateError: unknown;
    await start(
      (app) => {
        app.get(
          '/',
          withFallback(async (_req, res) => {
            await sleep(600);
            try {
              res.status(201).json({ handler: true });
            } catch (error) {
              lateError = error;
            }
          }, degraded),
        );
      },
      { inbound: { deadline: { margin: '100ms' } } },
    );
    const began = performance.now();
    const reply = await get({ 'X-Request-Budget-Ms': '500' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ degraded: true });
    expect(performance.now() - began).toBeGreaterThanOrEqual(449);
    expect(await until(() => running.of('inbound.late').length === 1)).toBe(true);
    expect(lateError).toBeUndefined();
    expect(running.of('inbound.deadline')).toEqual([]);
  });

  it('has time of its own for its calls, until the answer is due', async () => {
    const left: number[] = [];
    await start(
      (app) => {
        app.get(
          '/',
          withFallback(
            async (req, res) => {
              left.push(req.spillway.remainingMs());
              await sleep(1200);
              res.end();
            },
            (_failure, req, res) => {
              left.push(req.spillway.remainingMs());
              res.end();
            },
          ),
        );
      },
      { inbound: { deadline: { margin: '200ms' } } },
    );
    expect((await get({ 'X-Request-Budget-Ms': '1000' })).status).toBe(200);
    expect(left[0]).toBeGreaterThan(600);
    expect(left[0]).toBeLessThanOrEqual(800);
    expect(left[1]).toBeGreaterThan(0);
    expect(left[1]).toBeLessThanOrEqual(100);
  });

  it('a failure after the 504 is counted, and goes nowhere', async () => {
    const passed: unknown[] = [];
    await start((app) => {
      app.get(
        '/',
        spillwayRoute({ deadline: 40 }),
        withFallback(
          async () => {
            await sleep(80);
            throw new Error('too late to matter');
          },
          async () => {
            await sleep(200);
          },
        ),
      );
      app.use(((error, _req, _res, next) => {
        passed.push(error);
        next(error);
      }) as import('express').ErrorRequestHandler);
    });
    expect((await get()).status).toBe(504);
    expect(await until(() => running.of('inbound.late').length === 1)).toBe(true);
    expect(running.of('inbound.late')[0]).toMatchObject({ how: 'error' });
    expect(passed).toEqual([]);
  });

  it('does not mark the answer where told not to', async () => {
    await start((app) => {
      app.get(
        '/',
        withFallback(async () => Promise.reject(failure()), degraded, { mark: false }),
      );
    });
    expect((await get()).headers).not.toHaveProperty('x-degraded');
  });

  it('leaves a handler that hands on to the next one alone', async () => {
    await start((app) => {
      app.get(
        '/',
        withFallback((_req, _res, next) => next(), degraded),
        (_req, res) => {
          res.json({ next: true });
        },
      );
    });
    expect((await get()).body).toEqual({ next: true });
  });

  it('says how to install what is missing', async () => {
    const app = express();
    app.set('env', 'test');
    app.get(
      '/',
      withFallback((_req, res) => res.end(), degraded),
    );
    running = { close: async () => undefined } as TestApp;
    expect((await supertest(app).get('/')).status).toBe(500);
  });
});
