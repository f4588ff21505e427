import { afterEach, describe, expect, it } from '@jest/globals';
import type { Express } from 'express';
import supertest from 'supertest';
import { EXPRESS, sleep, startApp, type TestApp, until } from './support/app.js';

const unhandled: unknown[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));

describe.each(EXPRESS)('an answer after the 504, on %s', (_name, express) => {
  let running: TestApp;

  afterEach(() => running.close());

  async function start(routes: (app: Express) => void): Promise<TestApp> {
    running = await startApp(express, routes);
    return running;
  }

  it.each<[string, (app: Express) => void]>([
    ['res.json', (app) => app.get('/', (_req, res) => void sleep(80).then(() => res.json({ late: true })))],
    [
      'res.send',
      (app) => app.get('/', (_req, res) => void sleep(80).then(() => res.status(201).send('late'))),
    ],
    ['res.redirect', (app) => app.get('/', (_req, res) => void sleep(80).then(() => res.redirect('/late')))],
    [
      'res.cookie and end',
      (app) => app.get('/', (_q, res) => void sleep(80).then(() => res.cookie('a', 'b').end())),
    ],
    [
      'next(error)',
      (app) => app.get('/', (_req, _res, next) => void sleep(80).then(() => next(new Error('late')))),
    ],
    ['next()', (app) => app.get('/', (_req, _res, next) => void sleep(80).then(() => next()))],
  ])('%s after the 504 does no harm', async (_how, routes) => {
    const before = unhandled.length;
    await start(routes);
    const agent = supertest.agent(running.server);
    const reply = await agent.get('/').set('X-Request-Budget-Ms', '30').redirects(0);
    expect(reply.status).toBe(504);
    expect(JSON.parse(reply.text)).toMatchObject({ code: 'ERR_DEADLINE_EXCEEDED' });
    expect(await until(() => running.of('inbound.late').length === 1)).toBe(true);
    await sleep(30);
    expect(running.of('inbound.late')).toHaveLength(1);
    expect(running.of('inbound.end')).toHaveLength(1);
    expect(unhandled).toHaveLength(before);
  });

  it('a file that is sent after the 504 does no harm and leaves no stream open', async () => {
    const done: unknown[] = [];
    await start((app) => {
      app.get(
        '/',
        (_req, res) => void sleep(60).then(() => res.sendFile(import.meta.filename, (e) => done.push(e))),
      );
    });
    const reply = await supertest(running.server).get('/').set('X-Request-Budget-Ms', '30');
    expect(reply.status).toBe(504);
    expect(await until(() => done.length === 1)).toBe(true);
  });
});
