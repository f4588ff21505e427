import { request as httpRequest } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import supertest from 'supertest';
import { EXPRESS, sleep, startApp, type TestApp, type TestAppOptions, until } from './support/app.js';

describe.each(EXPRESS)('expressSpillway on %s', (_name, express) => {
  let running: TestApp;

  afterEach(() => running.close());

  async function start(routes: (app: Express) => void, options?: TestAppOptions): Promise<TestApp> {
    running = await startApp(express, routes, options);
    return running;
  }

  it('gives handlers the time of their request', async () => {
    await start(
      (app) => {
        app.get('/', (req, res) => {
          const { deadline, call } = req.spillway;
          res.json({
            left: Math.round(req.spillway.remainingMs()),
            deadline,
            facts: call.facts,
            aborted: req.spillway.signal.aborted,
          });
        });
      },
      { inbound: { deadline: { margin: '20ms' }, trust: ['127.0.0.0/8'] } },
    );
    const { body } = await supertest(running.server)
      .get('/')
      .set('X-Request-Budget-Ms', '500')
      .set('X-Request-Attempt', '2')
      .set('X-Request-Criticality', 'sheddable')
      .set('Idempotency-Key', '"k1"');
    expect(body.left).toBeGreaterThan(380);
    expect(body.left).toBeLessThanOrEqual(480);
    expect(body.deadline).toMatchObject({ ms: 500, source: 'x-request-budget-ms', malformed: [] });
    expect(body.facts).toMatchObject({
      method: 'GET',
      attempt: 2,
      criticality: 'sheddable',
      idempotencyKey: '"k1"',
    });
    expect(body.aborted).toBe(false);
  });

  it('believes an untrusted caller its deadline and nothing else', async () => {
    await start((app) => {
      app.get('/', (req, res) => {
        res.json({ facts: req.spillway.call.facts, left: req.spillway.remainingMs() });
      });
    });
    const { body } = await supertest(running.server)
      .get('/')
      .set('X-Request-Budget-Ms', '400')
      .set('X-Envoy-Expected-Rq-Timeout-Ms', '5')
      .set('X-Request-Attempt', '3')
      .set('X-Request-Criticality', 'critical_plus');
    expect(body.facts).toMatchObject({ attempt: 1, criticality: 'critical' });
    expect(body.left).toBeGreaterThan(250);
    expect(body.left).toBeLessThanOrEqual(400);
  });

  it.each(['-1', '0', '+5', '1e3', '10s', '5.5', 'NaN', '50, 5000', '1'.repeat(16)])(
    'takes the default for the malformed deadline %j, and counts it',
    async (value) => {
      await start((app) => {
        app.get('/', (req, res) => {
          res.json(req.spillway.remainingMs());
        });
      });
      const { status, body } = await supertest(running.server).get('/').set('X-Request-Budget-Ms', value);
      expect(status).toBe(200);
      expect(body).toBeGreaterThan(25_000);
      expect(running.of('inbound.malformed')).toEqual([
        expect.objectContaining({ header: 'x-request-budget-ms' }),
      ]);
    },
  );

  it('counts a deadline that is sent twice as malformed', async () => {
    await start((app) => {
      app.get('/', (req, res) => {
        res.json(req.spillway.deadline);
      });
    });
    const body = await new Promise<string>((resolve) => {
      const headers = ['Host', 'x', 'X-Request-Budget-Ms', '50', 'X-Request-Budget-Ms', '50'];
      const outgoing = httpRequest(running.url, { headers } as never, (res) => {
        let text = '';
        res.on('data', (chunk) => {
          text += chunk;
        });
        res.on('end', () => resolve(text));
      });
      outgoing.end();
    });
    expect(JSON.parse(body)).toMatchObject({ source: 'default', malformed: ['x-request-budget-ms'] });
  });

  it('refuses a malformed deadline with 400 where told so', async () => {
    await start(() => undefined, { inbound: { deadline: { onMalformed: 'reject' } } });
    const reply = await supertest(running.server).get('/').set('grpc-timeout', '1s');
    expect(reply.status).toBe(400);
    expect(reply.type).toBe('application/problem+json');
    expect(JSON.parse(reply.text)).toMatchObject({
      status: 400,
      type: 'https://spillway.dev/problems/malformed-deadline',
    });
  });

  it('answers 504 to what is over on arrival, without running anything', async () => {
    let ran = 0;
    await start((app) => {
      app.use((_req, _res, next) => {
        ran++;
        next();
      });
    });
    const reply = await supertest(running.server).get('/').set('connect-timeout-ms', '0');
    expect(reply.status).toBe(504);
    expect(ran).toBe(0);
  });

  it('refuses what is over the limit before the body is parsed, with problem details and Retry-After', async () => {
    let parsed = 0;
    let free = () => {};
    await start(
      (app) => {
        app.use((_req, _res, next) => {
          parsed++;
          next();
        });
        app.use(express.json());
        app.post('/', async (_req, res) => {
          await new Promise<void>((resolve) => {
            free = resolve;
          });
          res.json({ ok: true });
        });
      },
      { inbound: { concurrency: 1 } },
    );
    const first = supertest(running.server).post('/').send({ a: 1 });
    const answered = first.then((reply) => reply.status);
    await until(() => parsed === 1);
    const refused = await supertest(running.server).post('/').send({ a: 2 });
    expect(refused.status).toBe(503);
    expect(refused.type).toBe('application/problem+json');
    expect(refused.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(refused.headers).not.toHaveProperty('x-should-retry');
    expect(JSON.parse(refused.text)).toMatchObject({ status: 503, code: 'ERR_OVERLOADED', service: 'shop' });
    expect(parsed).toBe(1);
    await until(() => running.spillway.snapshot().inbound.inFlight === 1);
    free();
    expect(await answered).toBe(200);
    expect((await supertest(running.server).get('/missing')).status).toBe(404);
  });

  it('lets a request wait where there is a queue', async () => {
    await start(
      (app) => {
        app.get('/', async (_req, res) => {
          await sleep(60);
          res.json({ ok: true });
        });
      },
      { inbound: { concurrency: { limit: 1, queue: { size: 5 } } } },
    );
    const replies = await Promise.all([1, 2, 3].map(() => supertest(running.url).get('/')));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(running.spillway.snapshot().inbound).toMatchObject({ inFlight: 0, queued: 0 });
  });

  it('never refuses what is exempt', async () => {
    await start(
      (app) => {
        app.get('/busy', () => undefined);
        app.get('/healthz', (_req, res) => {
          res.json({ ok: true });
        });
      },
      { inbound: { concurrency: 1 }, options: { exempt: ['/healthz'] } },
    );
    const busy = supertest(running.server).get('/busy').timeout(300);
    busy.catch(() => undefined);
    busy.end(() => undefined);
    await until(() => running.spillway.snapshot().inbound.inFlight === 1);
    expect((await supertest(running.server).get('/healthz')).status).toBe(200);
    expect((await supertest(running.server).get('/other')).status).toBe(503);
  });

  it('a stream, a download and a POST whose client leaves behave as without it', async () => {
    let finished = 0;
    await start((app) => {
      app.get('/events', async (_req, res) => {
        res.set('Content-Type', 'text/event-stream').flushHeaders();
        for (let i = 0; i < 5; i++) {
          res.write(`data: ${i}\n\n`);
          await sleep(25);
        }
        res.end();
      });
      app.post('/pay', express.json(), async (_req, res) => {
        await sleep(80);
        finished++;
        res.json({ ok: true });
      });
    });
    const events = await supertest(running.server).get('/events').set('X-Request-Budget-Ms', '50');
    expect(events.text.match(/data: \d/g)).toHaveLength(5);
    const outgoing = httpRequest(`${running.url}/pay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    outgoing.on('error', () => undefined);
    outgoing.end('{}');
    await until(() => running.of('inbound.admitted').length === 2);
    outgoing.destroy();
    expect(await until(() => finished === 1)).toBe(true);
  });

  it('destroys the connection when a handler fails after part of its body', async () => {
    await start((app) => {
      app.get('/', (_req, res, next) => {
        res.write('part');
        setTimeout(() => next(new Error('boom')), 10);
      });
    });
    await expect(supertest(running.server).get('/')).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    expect(await until(() => running.spillway.snapshot().inbound.inFlight === 0)).toBe(true);
  });

  it('answers 503 with Connection: close while it drains', async () => {
    await start((app) => {
      app.get('/', (_req, res) => {
        res.json({ ok: true });
      });
    });
    expect((await supertest(running.server).get('/')).status).toBe(200);
    await running.spillway.drain({ within: 50 });
    const reply = await supertest(running.server).get('/');
    expect(reply.status).toBe(503);
    expect(reply.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
    expect(running.spillway.snapshot().inbound.refused).toMatchObject({ draining: 1 });
  });

  it('installed twice counts a request once', async () => {
    await start((app) => {
      app.get('/', (_req, res) => {
        res.json(running.spillway.snapshot().inbound.inFlight);
      });
    });
    const { expressSpillway } = await import('../src/index.js');
    const outer = express();
    outer.use(expressSpillway(running.spillway));
    outer.use(running.app);
    expect((await supertest(outer).get('/')).body).toBe(1);
    expect(running.spillway.snapshot().inbound.inFlight).toBe(0);
  });
});
