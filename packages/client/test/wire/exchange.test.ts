import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { manualClock } from '@spillway/testing';
import { inboundCall } from '../support/inbound.js';
import { cleanUp, delay, errorOf, eventually, scene, serve, wire } from '../support/scene.js';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A server of raw connections: `play` says what the nth request on the nth connection gets. */
async function rawServer(play: (socket: Socket, connection: number, request: number) => void) {
  const seen: [number, number][] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    const connection = ++connections;
    let requests = 0;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', () => {
      seen.push([connection, ++requests]);
      play(socket, connection, requests);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, seen };
}

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
    const { client, server } = await scene({ latency: 10 }, { bulkhead: { concurrent: 3, queue: 20 } });
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

describe('a reset of a reused connection before any byte', () => {
  const dropsSecond = () =>
    rawServer((socket, connection, request) => {
      if (connection === 1 && request === 2) socket.resetAndDestroy();
      else socket.write(OK);
    });

  test('is resent at once on a fresh one, under the same attempt number and at no cost', async () => {
    const { url, seen } = await dropsSecond();
    const { client, events } = wire(url, { retry: false });
    await client.get('a');
    expect(await client.get('b').text()).toBe('ok');
    expect(seen).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
    expect(events.filter(({ type }) => type === 'attempt.resend')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'attempt.start')).toHaveLength(2);
  });

  test('is the failure it is for a POST', async () => {
    const { url, seen } = await dropsSecond();
    const { client } = wire(url);
    await client.get('a');
    const error = await errorOf(client.post('b', { body: 'x' }));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      stopped: 'not-idempotent',
      sent: 'maybe',
      status: 502,
    });
    expect(seen).toHaveLength(2);
  });

  test('is resent for a POST with a key', async () => {
    const { url, seen } = await dropsSecond();
    const { client } = wire(url, { retry: false });
    await client.get('a');
    await client.post('b', { body: 'x', idempotencyKey: 'k' });
    expect(seen).toHaveLength(3);
  });

  test('is not resent with a body that can be sent once', async () => {
    const { url, seen } = await dropsSecond();
    const { client } = wire(url);
    await client.get('a');
    const error = await errorOf(
      client.put('b', {
        body: (function* () {
          yield Buffer.from('x');
        })(),
      }),
    );
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'body-not-replayable' });
    expect(seen).toHaveLength(2);
  });

  test('is resent once: a second reset is a failure', async () => {
    const { url, seen } = await rawServer((socket, connection, request) => {
      if (connection === 1 && request === 1) socket.write(OK);
      else socket.resetAndDestroy();
    });
    const { client } = wire(url, { retry: false });
    await client.get('a');
    expect(await errorOf(client.get('b'))).toMatchObject({
      code: 'ERR_UPSTREAM',
      attempts: 1,
      sent: 'maybe',
    });
    expect(seen).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
  });

  test('after a byte of the answer it is an ordinary reset', async () => {
    const { url, seen } = await rawServer((socket, connection, request) => {
      if (connection === 1 && request === 1) socket.write(OK);
      else socket.write('HTTP/1.1 2', () => setTimeout(() => socket.resetAndDestroy(), 20));
    });
    const { client, events } = wire(url, { retry: false });
    await client.get('a');
    expect(await errorOf(client.get('b'))).toMatchObject({ code: 'ERR_UPSTREAM', sent: 'maybe' });
    expect(seen).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'attempt.resend')).toHaveLength(0);
  });

  test('on a new connection it is an ordinary reset', async () => {
    const { url } = await rawServer((socket) => socket.resetAndDestroy());
    const { client, events } = wire(url, { retry: false });
    expect(await errorOf(client.get('a'))).toMatchObject({ code: 'ERR_UPSTREAM', sent: 'maybe' });
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({
      kind: 'reset',
      result: 'failure',
    });
  });
});

describe('answers that are not handed on', () => {
  /** Answers 503 with 5 MB in chunks `bad` times, then 200. */
  async function bigFailures(bad: number) {
    let requests = 0;
    let written = 0;
    let open = 0;
    let peak = 0;
    const { url, server } = await serve((_request, response) => {
      if (++requests > bad) return void response.end('fine');
      response.statusCode = 503;
      let left = 80;
      const pump = (): void => {
        if (response.destroyed) return;
        for (; left > 0; left--) {
          written += 65_536;
          if (!response.write(Buffer.alloc(65_536)))
            return void response.once('drain', () => {
              left--;
              pump();
            });
        }
        response.end();
      };
      pump();
    });
    server.on('connection', (socket) => {
      peak = Math.max(peak, ++open);
      socket.once('close', () => open--);
    });
    return { url, requests: () => requests, written: () => written, peak: () => peak, open: () => open };
  }

  test('are read up to a limit, then their connection is closed', async () => {
    const clock = manualClock();
    const big = await bigFailures(3);
    const retry = { attempts: 4, backoff: { base: '20ms', jitter: 'none' }, budget: false } as const;
    const { client } = wire(big.url, { bulkhead: { concurrent: 1 }, retry }, { clock });
    const answer = client.get('a').text();
    for (let attempt = 1; attempt < 4; attempt++) {
      // asleep before the next attempt, its connection closed
      await eventually(() => big.requests() === attempt && big.open() === 0 && clock.pending === 1);
      await clock.advance(80);
    }
    expect(await answer).toBe('fine');
    expect(big.peak()).toBe(1);
    expect(big.written()).toBeLessThan(3 * 5_000_000);
  });

  test('leave the status as what failed', async () => {
    const big = await bigFailures(9);
    const { client } = wire(big.url, { retry: false });
    const error = await errorOf(client.get('a'));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', status: 503, sent: 'answered' });
    expect(error.cause).toMatchObject({ name: 'HTTPError', response: { statusCode: 503 } });
  });

  test('are closed unread when they say that they are longer', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(503, { 'content-length': 10_000_000 });
      response.write('x');
    });
    const { client } = wire(url, { retry: false });
    expect(await errorOf(client.get('a'))).toMatchObject({ code: 'ERR_UPSTREAM', status: 503 });
  });

  test('are read and their connection kept when they are short', async () => {
    const { client, server } = await scene([{ status: 503, body: 'x'.repeat(50_000) }, 200]);
    await client.get('a');
    expect(server.hits.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  test('are read to the end for a classify that may want them', async () => {
    const { client } = await scene({ status: 503, body: 'x'.repeat(200_000) });
    const lengths: number[] = [];
    const classify = (result: unknown) => {
      lengths.push((result as { response: { body: string } }).response.body.length);
      return 'success' as const;
    };
    const error = await errorOf(client.get('a', { classify }));
    expect(error).toMatchObject({ name: 'HTTPError' });
    expect(lengths).toEqual([200_000]);
  });

  test('a long answer that is no failure is read in full', async () => {
    const { client } = await scene({ status: 404, body: 'x'.repeat(200_000) });
    expect((await errorOf(client.get('a'))).response.body).toHaveLength(200_000);
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
