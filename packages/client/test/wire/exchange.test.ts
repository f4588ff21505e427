import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { manualClock } from '@spillway/testing';
import got from 'got';
import { RequestOperation } from '../../src/answer/request-operation.js';
import { HttpRequest } from '../../src/request/http-request.js';
import { type GotInstance, Upstream } from '../../src/request/upstream.js';
import { Agents } from '../../src/wire/agents.js';
import { inboundCall } from '../support/inbound.js';
import { rawServer } from '../support/raw-server.js';
import { cleanUp, delay, errorOf, eventually, scene, wire } from '../support/scene.js';

describe('connections', () => {
  test('are kept alive, and shared by all clients of the dependency', async () => {
    const { client, server, spillway } = await scene(200);
    await client.get('a');
    await clients(spillway, { parent: inboundCall(spillway) })('quotes').get('b');
    await client.extend({ headers: { a: 'b' } }).get('c');
    expect(server.hits.map(({ connection }) => connection)).toEqual([1, 1, 1]);
  });

  test('end when the spillway closes', async () => {
    const { client, server, spillway } = await scene(200);
    await client.get('a');
    spillway.close();
    await eventually(() => server.connections.open === 0);
    expect(await errorOf(client.get('a'))).toMatchObject({ code: 'ERR_CLOSED' });
  });

  test('are as many as the bulkhead has units', async () => {
    const { client, server } = await scene(
      { latency: 10 },
      { bulkhead: { concurrent: 3, queue: 20, wait: '5s' } },
    );
    await Promise.all(Array.from({ length: 12 }, () => client.get('a')));
    expect(server.count()).toBe(12);
    expect(server.connections.peak).toBe(3);
  });

  test('are not limited by a bulkhead that only observes', async () => {
    const { client, server } = await scene(
      { latency: 50 },
      { bulkhead: { concurrent: 1, queue: 0, mode: 'observe' } },
    );
    await Promise.all(Array.from({ length: 5 }, () => client.get('a')));
    expect(server.connections.peak).toBe(5);
  });

  test('a retry after a reset takes one of its own, which is not kept', async () => {
    const { client, server } = await scene([{ reset: 'after-body' }, 200, 200]);
    await client.get('a');
    await client.get('b');
    expect(server.hits.map(({ connection }) => connection)).toEqual([1, 2, 3]);
    expect(server.hits[1]?.headers['connection']).toBe('close');
  });

  test('a retry after a timeout takes one of its own, which is not kept', async () => {
    const clock = manualClock();
    const { client, server } = await scene(
      [{ stall: true }, 200, 200],
      { attempt: { timeout: '40ms' } },
      { clock },
    );
    const response = client.get('a');
    await server.waitForHits(1);
    await clock.advance(45);
    await response;
    await client.get('b');
    expect(server.hits.map(({ connection }) => connection)).toEqual([1, 2, 3]);
    expect(server.hits[1]?.headers['connection']).toBe('close');
  });
});

describe('attempt.connect', () => {
  test('a connection that does not come up in time was surely not sent', async () => {
    const { client, events } = wire('http://quotes.test', { attempt: { connect: '30ms' }, retry: false });
    const error = await errorOf(client.post('a', { body: 'x', dnsLookup: (() => undefined) as never }));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', status: 503, sent: 'no', retryAfterMs: 1000 });
    expect(error.cause).toMatchObject({ code: 'ETIMEDOUT' });
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({
      kind: 'unsent',
      result: 'failure',
    });
  });

  test('a TLS handshake that hangs is part of it', async () => {
    const { url } = await rawServer(() => undefined);
    const { client } = wire(url.replace('http:', 'https:'), { attempt: { connect: '30ms' }, retry: false });
    expect(await errorOf(client.get('a'))).toMatchObject({ status: 503, sent: 'no' });
  });

  test('does not run on once the connection stands', async () => {
    const clock = manualClock();
    let answer: (status: number) => void = () => undefined;
    const later = () =>
      new Promise<number>((resolve) => {
        answer = resolve;
      });
    const { client, server } = await scene(later, { attempt: { connect: '30ms' }, retry: false }, { clock });
    for (const n of [1, 2]) {
      const body = client.get('a').json();
      await server.waitForHits(n);
      await clock.advance(100);
      answer(200);
      expect(await body).toEqual({ status: 200 });
    }
  });

  test('an attempt timeout before the connection stands was surely not sent either', async () => {
    const { client } = wire('http://quotes.test', { attempt: { timeout: '30ms' }, retry: false });
    const error = await errorOf(client.post('a', { body: 'x', dnsLookup: (() => undefined) as never }));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', sent: 'no' });
  });
});

describe('a cancelled request', () => {
  test("closes its connection and rejects with the signal's reason", async () => {
    const { client, server } = await scene({ stall: true });
    const controller = new AbortController();
    const reason = new Error('enough');
    const rejection = errorOf(client.get('a', { signal: controller.signal }));
    await server.waitForHits(1);
    controller.abort(reason);
    expect(await rejection).toBe(reason);
    await eventually(() => server.connections.open === 0);
  });

  test('closes it while the body is on its way, too', async () => {
    const { client, server } = await scene({ stallBody: true, body: 'x'.repeat(1000) });
    const controller = new AbortController();
    const rejection = errorOf(client.get('a', { signal: controller.signal }).text());
    await server.waitForHits(1);
    await delay(20);
    controller.abort('enough');
    expect(await rejection).toBe('enough');
    await eventually(() => server.connections.open === 0);
  });

  test('before it starts sends nothing', async () => {
    const { client, server } = await scene(200);
    const controller = new AbortController();
    const rejection = errorOf(client.get('a', { signal: controller.signal }));
    controller.abort('enough');
    expect(await rejection).toBe('enough');
    await delay(20);
    expect(server.count()).toBe(0);
  });

  test('for a request that its client gave up closes its connection and leaves nothing behind', async () => {
    const { spillway, server } = await scene({ stall: true });
    const parent = inboundCall(spillway);
    const rejection = errorOf(clients(spillway, { parent })('quotes').get('a'));
    await server.waitForHits(1);
    parent.cancel(new Error('gone'));
    expect((await rejection).message).toBe('gone');
    await eventually(() => server.connections.open === 0);
    expect(parent.listenerCount).toBe(0);
  });

  test('and one that times out closes its connection', async () => {
    const clock = manualClock();
    const { client, server } = await scene(
      { stall: true },
      { attempt: { timeout: '30ms' }, retry: false },
      { clock },
    );
    const failure = errorOf(client.get('a'));
    await server.waitForHits(1);
    await clock.advance(30);
    expect(await failure).toMatchObject({ status: 504, sent: 'maybe' });
    await eventually(() => server.connections.open === 0);
  });
});

test('nothing of a request stays behind: no timer, no listener', async () => {
  const { client, spillway, server } = await scene([200, 503, 404, { reset: 'after-body' }, 200], {
    attempt: { connect: '1s' },
  });
  const parent = inboundCall(spillway);
  const inside = clients(spillway, { parent })('quotes');
  for (let n = 0; n < 4; n++) await inside.get('a').catch(() => undefined);
  await client.get('a');
  expect(parent.listenerCount).toBe(0);
  await eventually(() => spillway.snapshot().dependencies[0]?.inFlight === 0);
  expect(server.count()).toBeGreaterThan(5);
});

test('a request that waits for a connection of ours is given up at once, and is never sent', async () => {
  const { spillway, server } = await scene({ stall: true });
  const { options } = spillway.dependency('quotes');
  const upstream = Upstream.of(spillway, 'quotes', options, got as unknown as GotInstance);
  Object.assign(upstream, { agents: new Agents(1) });
  cleanUp(() => upstream.agents.destroy());
  const controllers = [new AbortController(), new AbortController()];
  const [first, second] = controllers.map(({ signal }) => {
    const request = new HttpRequest(upstream, 'request', 'GET', 'a', { signal });
    return spillway.dependency('quotes').run(new RequestOperation(request));
  });
  await server.waitForHits(1);
  await delay(20);
  controllers[1]?.abort('enough');
  expect(await second).toMatchObject({ ok: false, error: 'enough' });
  await eventually(() => spillway.snapshot().dependencies[0]?.bulkhead?.inUse === 1);
  controllers[0]?.abort('enough');
  expect(await first).toMatchObject({ ok: false, error: 'enough' });
  await delay(20);
  expect(server.count()).toBe(1);
});

test('a timed out attempt gives its unit of the bulkhead back as soon as its connection is closed', async () => {
  const clock = manualClock();
  const policy = {
    attempt: { timeout: '30ms' },
    retry: false,
    bulkhead: { concurrent: 1, queue: 0 },
  } as const;
  const { client, server, spillway } = await scene([{ stall: true }, 200], policy, { clock });
  const failure = errorOf(client.get('a'));
  await server.waitForHits(1);
  await clock.advance(30);
  expect(await failure).toMatchObject({ status: 504 });
  await eventually(() => spillway.snapshot().dependencies[0]?.bulkhead?.inUse === 0);
  expect((await client.get('a')).statusCode).toBe(200);
});
