import { afterEach, describe, expect, it } from '@jest/globals';
import { GuardedServer, sleep, until } from './support/guarded-server.js';

let server: GuardedServer;

afterEach(() => server.close());

describe('a server that drains', () => {
  it('refuses newcomers, closes their connections, and lets those inside finish', async () => {
    server = await GuardedServer.start({ concurrency: 10 }, async (_request, _req, res) => {
      await sleep(80);
      res.end('done');
    });
    const inside = server.get();
    await until(() => server.inFlight === 1);
    const drained = server.spillway.drain({ within: '1s' });
    const refused = await server.get();
    expect(refused.status).toBe(503);
    expect(refused.headers).toMatchObject({ connection: 'close', 'retry-after': '1' });
    expect(JSON.parse(refused.body)).toMatchObject({ code: 'ERR_OVERLOADED' });
    expect(await inside).toMatchObject({ status: 200, body: 'done' });
    expect((await inside).headers['connection']).toBe('close');
    expect(await drained).toBe(true);
    expect(server.of('inbound.refused')).toEqual([expect.objectContaining({ reason: 'draining' })]);
  });

  it('refuses those who wait', async () => {
    server = await GuardedServer.start(
      { concurrency: { limit: 1, queue: { size: 5 } } },
      async (_request, _req, res) => {
        await sleep(60);
        res.end();
      },
    );
    const inside = server.get();
    await until(() => server.inFlight === 1);
    const waiting = server.get();
    await until(() => server.spillway.snapshot().inbound.queued === 1);
    const drained = server.spillway.drain({ within: '1s' });
    expect((await waiting).status).toBe(503);
    expect((await inside).status).toBe(200);
    expect(await drained).toBe(true);
  });

  it('takes requests again after a reset', async () => {
    server = await GuardedServer.start({}, (_request, _req, res) => res.end('ok'));
    await server.spillway.drain({ within: 10 });
    server.spillway.reset();
    expect((await server.get()).status).toBe(200);
  });
});
