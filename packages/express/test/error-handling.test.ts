import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spillwayError } from '@spillway/core';
import { type FlakyServer, flakyServer } from '@spillway/testing';
import type { ErrorRequestHandler, Express } from 'express';
import supertest from 'supertest';
import { problemDetails } from '../src/index.js';
import { EXPRESS, startApp, type TestApp } from './support/app.js';

const SECRETS = { query: 'secret-query', header: 'secret-header', body: 'secret-body' };

describe.each(EXPRESS)('a breaker that is open, on %s', (_name, express) => {
  let upstream: FlakyServer;
  let running: TestApp;
  const logged: string[] = [];
  let log: ReturnType<typeof jest.spyOn>;

  beforeEach(async () => {
    logged.length = 0;
    log = jest.spyOn(console, 'error').mockImplementation((...args: unknown[]) => {
      logged.push(args.map(String).join(' '));
    });
    upstream = await flakyServer({ status: 503, body: SECRETS.body });
  });

  afterEach(async () => {
    log.mockRestore();
    await running.close();
    await upstream.close();
  });

  async function start(env: string, handlers: (app: Express) => void = () => undefined): Promise<TestApp> {
    running = await startApp(
      express,
      (app) => {
        app.set('env', env);
        app.get('/price', (req, res, next) => {
          req.spillway
            .client('quotes')
            .get(`v1/acme?token=${SECRETS.query}`, { headers: { authorization: SECRETS.header } })
            .json()
            .then((body) => res.json(body), next);
        });
        handlers(app);
      },
      {
        dependencies: {
          quotes: {
            baseUrl: upstream.url,
            retry: { attempts: 1 },
            breaker: { consecutive: 3, openFor: '7200ms', jitter: 0 },
          },
        },
      },
    );
    for (let i = 0; i < 3; i++) await supertest(running.server).get('/price');
    return running;
  }

  const nothingLeaks = (text: string) => {
    for (const secret of Object.values(SECRETS)) expect(text).not.toContain(secret);
    expect(text).not.toMatch(/\.[jt]s:\d+/);
  };

  it.each(['development', 'production'])(
    "is 503 with Retry-After through Express's own error handler in %s",
    async (env) => {
      const nodeEnv = process.env['NODE_ENV'];
      process.env['NODE_ENV'] = env;
      try {
        await start(env);
        const hits = upstream.count();
        const reply = await supertest(running.server).get('/price');
        expect(reply.status).toBe(503);
        expect(reply.headers['retry-after']).toBe('8');
        expect(upstream.count()).toBe(hits);
        nothingLeaks(reply.text + JSON.stringify(reply.headers));
        nothingLeaks(logged.join('\n'));
      } finally {
        process.env['NODE_ENV'] = nodeEnv;
      }
    },
  );

  it("is 503 with Retry-After through an application's own error handler, which does not know of it", async () => {
    const own: ErrorRequestHandler = (error, _req, res, _next) => {
      res.status(error.status).json({ sorry: true });
    };
    await start('test', (app) => app.use(own));
    const reply = await supertest(running.server).get('/price');
    expect(reply.status).toBe(503);
    expect(reply.body).toEqual({ sorry: true });
    expect(reply.headers['retry-after']).toBe('8');
  });

  it('leaves the Retry-After of the application alone', async () => {
    const own: ErrorRequestHandler = (_error, _req, res, _next) => {
      res.status(503).set('Retry-After', '99').json({});
    };
    await start('test', (app) => app.use(own));
    expect((await supertest(running.server).get('/price')).headers['retry-after']).toBe('99');
  });

  it('is a problem with problemDetails', async () => {
    await start('test', (app) => app.use(problemDetails()));
    const reply = await supertest(running.server).get('/price');
    expect(reply.status).toBe(503);
    expect(reply.type).toBe('application/problem+json');
    expect(reply.headers['retry-after']).toBe('8');
    expect(JSON.parse(reply.text)).toMatchObject({
      code: 'ERR_BREAKER_OPEN',
      dependency: 'quotes',
      service: 'shop',
    });
    nothingLeaks(reply.text);
  });
});

describe.each(EXPRESS)('problemDetails on %s', (_name, express) => {
  let running: TestApp;

  afterEach(() => running.close());

  it('passes other errors on', async () => {
    running = await startApp(express, (app) => {
      app.get('/', () => {
        throw Object.assign(new Error('teapot'), { status: 418 });
      });
      app.use(problemDetails());
    });
    expect((await supertest(running.server).get('/')).status).toBe(418);
  });

  it('answers HEAD without a body', async () => {
    running = await startApp(express, (app) => {
      app.get('/', () => {
        throw spillwayError('ERR_BULKHEAD_FULL', 'full', { retryAfterMs: 2500, dependency: 'db' });
      });
      app.use(problemDetails());
    });
    const reply = await supertest(running.server).head('/');
    expect(reply.status).toBe(503);
    expect(reply.headers['retry-after']).toBe('3');
    expect(reply.text ?? '').toBe('');
  });
});
