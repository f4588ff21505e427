import { afterEach, describe, expect, it } from '@jest/globals';
import type { Express, Request, Response } from 'express';
import supertest from 'supertest';
import { spillwayRoute } from '../src/index.js';
import { EXPRESS, sleep, startApp, type TestApp, type TestAppOptions, until } from './support/app.js';

describe.each(EXPRESS)('spillwayRoute on %s', (_name, express) => {
  let running: TestApp;

  afterEach(() => running.close());

  async function start(routes: (app: Express) => void, options?: TestAppOptions): Promise<TestApp> {
    running = await startApp(express, routes, options);
    return running;
  }

  const left = (req: Request, res: Response) => void res.json(Math.round(req.spillway.remainingMs()));

  it('sets a deadline that is answered with 504, though nobody sent one', async () => {
    await start((app) => {
      app.get('/', spillwayRoute({ deadline: '40ms' }), () => undefined);
    });
    const began = performance.now();
    const reply = await supertest(running.server).get('/');
    expect(reply.status).toBe(504);
    expect(performance.now() - began).toBeGreaterThanOrEqual(39);
  });

  it('sets a deadline longer than the default and the longest a caller may ask for', async () => {
    await start((app) => void app.get('/', spillwayRoute({ deadline: '2m' }), left), {
      inbound: { deadline: { default: '1s', max: '2s', margin: 0 } },
    });
    expect((await supertest(running.server).get('/')).body).toBeGreaterThan(110_000);
    const asked = await supertest(running.server).get('/').set('X-Request-Budget-Ms', '500');
    expect(asked.body).toBeLessThanOrEqual(500);
  });

  it('bounds calls that were made before it ran', async () => {
    await start((app) => {
      app.use((req, _res, next) => {
        void req.spillway.call;
        next();
      });
      app.get('/', spillwayRoute({ deadline: '300ms' }), left);
    });
    expect((await supertest(running.server).get('/')).body).toBeLessThanOrEqual(300);
  });

  it('an exempt route gives its place at the gate back', async () => {
    await start(
      (app) => {
        app.get('/', spillwayRoute({ exempt: true }), (_req, res) => {
          res.json(running.spillway.snapshot().inbound.inFlight);
        });
      },
      { inbound: { concurrency: 1 } },
    );
    expect((await supertest(running.server).get('/')).body).toBe(0);
    expect(running.spillway.snapshot().inbound.inFlight).toBe(0);
  });

  it('gives its requests a class of criticality', async () => {
    await start((app) => {
      app.get('/', spillwayRoute({ priority: 'sheddable' }), (req, res) => {
        res.json(req.spillway.call.facts.criticality);
      });
    });
    expect((await supertest(running.server).get('/')).body).toBe('sheddable');
  });

  it('observes its deadline only, in that mode', async () => {
    await start((app) => {
      app.get('/', spillwayRoute({ deadline: 20, mode: 'observe' }), async (_req, res) => {
        await sleep(60);
        res.json({ ok: true });
      });
    });
    expect((await supertest(running.server).get('/')).status).toBe(200);
    expect(running.of('inbound.deadline')).toHaveLength(1);
  });

  it('covers the whole answer where told so', async () => {
    await start((app) => {
      app.get('/', spillwayRoute({ deadline: 60, covers: 'response' }), (_req, res) => {
        res.write('part');
      });
    });
    await expect(supertest(running.server).get('/')).rejects.toThrow(/aborted|hang up|ECONNRESET/);
    expect(await until(() => running.of('inbound.end').length === 1)).toBe(true);
    expect(running.of('inbound.end')[0]).toMatchObject({ outcome: 'failed' });
  });

  it('with a fallback it is the handler itself', async () => {
    await start((app) => {
      const fallback = (_failure: unknown, _req: Request, res: Response) => void res.json({ degraded: true });
      app.get(
        '/',
        spillwayRoute({ deadline: 1000, fallback }, async () => sleep(1500)),
      );
    });
    expect((await supertest(running.server).get('/')).body).toEqual({ degraded: true });
  });
});

describe('the options of a route', () => {
  it.each<[object, RegExp]>([
    [{ deadline: 'soon' }, /route\.deadline: 'soon'/],
    [{ priority: 'urgent' }, /route\.priority: urgent.*critical_plus/],
    [{ exempt: 'yes' }, /route\.exempt: yes/],
    [{ mode: 'off' }, /route\.mode: off.*observe/],
    [{ onDisconnect: 'panic' }, /route\.onDisconnect: panic/],
    [{ covers: 'nothing' }, /route\.covers: nothing/],
    [{ deadlin: '1s' }, /route\.deadlin/],
    [{ fallback: () => undefined }, /handler/],
  ])('%j is refused', (options, message) => {
    expect(() => spillwayRoute(options as never)).toThrow(message);
    expect(() => spillwayRoute(options as never)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG' }));
  });
});
