import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { type Call, type ClassifyContext, createSpillway, type RequestCall } from '@spillway/core';
import { asyncLocal } from '@spillway/core/async-local';
import { manualClock } from '@spillway/testing';
import { inboundCall } from '../support/inbound.js';
import { cleanUp, errorOf, eventually, scene, serve, wire } from '../support/scene.js';

const BRISK = { attempts: 3, backoff: { base: '1ms', cap: '1ms' }, budget: false } as const;

describe('a client among others', () => {
  test('C-047 is the only one that retries: neither got nor the service above it adds to it', async () => {
    const { client, server } = await scene(429, { retry: { ...BRISK, attempts: 4 } });
    const error = await errorOf(client.get('a'));
    expect([error.stopped, server.count()]).toEqual(['attempts', 4]);

    const last = await scene(503);
    const middle = createSpillway({
      inbound: { trust: ['127.0.0.1/32'] },
      dependencies: { last: { baseUrl: last.server.url, retry: BRISK, breaker: false } },
    });
    cleanUp(() => middle.close());
    const attempts: unknown[] = [];
    const { url } = await serve(async (req, res) => {
      attempts.push(req.headers['x-request-attempt']);
      const { call } = middle.inbound.enter(req, res);
      const { status } = await errorOf(clients(middle, { parent: call })('last').get('a'));
      res.writeHead(status).end();
    });
    const first = wire(url, { retry: BRISK });
    expect((await errorOf(first.client.get('a'))).stopped).toBe('should-retry');
    expect(attempts).toEqual(['1']);
    expect(last.server.count()).toBe(3);

    const stubborn = wire(url, { retry: { ...BRISK, attempts: 2, owner: 'ignore' } });
    await errorOf(stubborn.client.get('a'));
    expect(attempts).toEqual(['1', '1', '2']);
  }, 30_000);

  test('C-074 keeps the requests apart that share a connection', async () => {
    const context = asyncLocal();
    const seen: (readonly [hook: string, path: string, by: string])[] = [];
    const names = new Map<Call, string>();
    const note = (hook: string, path: string) =>
      seen.push([hook, path, names.get(context.current() as Call) ?? 'nobody']);
    const classify = (_: unknown, { path, kind }: ClassifyContext) => {
      note(kind, path as string);
      return undefined;
    };
    const hooks = {
      beforeRequest: [(options: { url?: URL }) => void note('request', `${options.url?.pathname}`)],
    };
    const policy = {
      bulkhead: { concurrent: 1, queue: 5 },
      attempt: { timeout: '200ms' },
      retry: { ...BRISK, attempts: 2 },
      client: { hooks },
      classify,
      fallback: (_: unknown, { path }: { path: string | undefined }) => void note('fallback', path as string),
    } as const;
    const clock = manualClock();
    const { server, spillway, client } = await scene(
      ({ path }) => (path === '/ok' ? 200 : path === '/bad' ? 503 : { stall: true }),
      policy as never,
      { clock, context },
    );
    const as = (name: string, path: string): [RequestCall, Promise<unknown>] => {
      const call = inboundCall(spillway, { method: 'GET' });
      names.set(call, name);
      return [call, context.run(call, () => client.get(path).then(() => 'done', String))];
    };
    const play = async (...all: Promise<unknown>[]) => {
      let isDone = false;
      void Promise.all(all).then(() => {
        isDone = true;
      });
      for (let step = 0; !isDone && step < 500; step++) {
        for (let i = 0; i < 10; i++) await turn();
        await clock.advance(1);
      }
    };

    await play(as('A', 'ok')[1], as('B', 'bad')[1], as('C', 'ok')[1]);
    await play(as('A', 'stall-a')[1], as('B', 'stall-b')[1]);
    const owners: Record<string, string> = { '/bad': 'B', '/stall-a': 'A', '/stall-b': 'B' };
    for (const [hook, path, by] of seen) {
      if (path !== '/ok') expect([hook, path, by]).toEqual([hook, path, owners[path]]);
      else expect(['A', 'C']).toContain(by);
    }
    const hooked = new Set(seen.map(([hook]) => hook));
    for (const hook of ['request', 'answer', 'server-error', 'timeout', 'fallback'])
      expect(hooked).toContain(hook);

    expect(server.count('/ok')).toBe(2);
    const [, mine] = as('A', 'ok');
    const [other, theirs] = as('B', 'ok');
    other.cancel(new Error('B has gone'));
    await play(mine, theirs);
    expect([await mine, await theirs, server.count('/ok')]).toEqual(['done', 'Error: B has gone', 3]);
  }, 30_000);

  test('C-090 judges all calls of its window, and closes the connection of one that timed out', async () => {
    const clock = manualClock();
    const { client, server, spillway } = await scene(
      { stall: true },
      {
        retry: false,
        bulkhead: false,
        breaker: { window: '10s', minCalls: 5000, failureRate: 0.5, consecutive: false },
        attempt: { timeout: '100ms' },
      },
      { clock },
    );
    const dep = spillway.dependency('quotes');
    const fail = () => Promise.reject(new Error('down'));
    const succeed = () => Promise.resolve('fine');
    for (let call = 0; call < 4999; call++) {
      const fails = call < 4000 && call % 8 < 5;
      await dep.settle(fails ? fail : succeed);
      if (call % 10 === 9) clock.tick(19);
    }
    const tally = () => spillway.snapshot().dependencies[0]?.breakers[0];
    expect(tally()).toMatchObject({ state: 'closed', calls: 4999, failures: 2500 });
    await dep.settle(succeed);
    expect(dep.breaker.state).toBe('open');

    dep.breaker.reset();
    const timedOut = errorOf(client.get('a'));
    await server.waitForHits(1);
    await clock.advance(100);
    expect((await timedOut).cause.code).toBe('ERR_ATTEMPT_TIMEOUT');
    await eventually(() => server.hits[0]?.closedAt !== undefined);
    await eventually(() => server.connections.open === 0);
  }, 30_000);
});
