import { afterEach, describe, expect, it } from '@jest/globals';
import type { InboundConfig } from '../../src/index.js';
import { GuardedServer, type Handler, sleep, until } from './support/guarded-server.js';

let server: GuardedServer;

afterEach(() => server.close());

async function start(inbound: InboundConfig, handler: Handler): Promise<GuardedServer> {
  server = await GuardedServer.start(inbound, handler);
  return server;
}

/** A handler that reads its whole request, waits, and answers. */
const slow =
  (ms: number): Handler =>
  async (request, req, res) => {
    void request.call;
    for await (const _ of req);
    await sleep(ms);
    res.end('done');
  };

/** Lets the handlers that are held go on. */
let holding: (() => void)[] = [];

/** A handler that reads its whole request, and answers when it is released. */
const held: Handler = async (request, req, res) => {
  void request.call;
  for await (const _ of req);
  await new Promise<void>((resolve) => {
    holding.push(resolve);
  });
  res.end('done');
};

async function hangUpDuring(method: string): Promise<boolean> {
  holding = [];
  const client = await server.connect();
  client.send(`${method} / HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\n{}`);
  await until(() => holding.length === 1);
  client.hangUp();
  await until(() => server.of('inbound.end').length === 1);
  const cancelled = server.requests[0]?.call.cancelled ?? false;
  for (const release of holding) release();
  return cancelled;
}

describe('a client that hangs up', () => {
  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE'])('cancels the work of a %s', async (method) => {
    await start({}, held);
    expect(await hangUpDuring(method)).toBe(true);
    expect(server.requests[0]?.call.reason).toMatchObject({ code: 'ERR_CANCELLED', status: 503 });
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('lets the handler of a %s finish', async (method) => {
    await start({}, held);
    expect(await hangUpDuring(method)).toBe(false);
    await sleep(20);
    expect(server.errors).toEqual([]);
  });

  it('does what the configuration says, for every method', async () => {
    await start({ onDisconnect: 'cancel' }, held);
    expect(await hangUpDuring('POST')).toBe(true);
    await server.close();
    await start({ onDisconnect: 'finish' }, held);
    expect(await hangUpDuring('GET')).toBe(false);
  });

  it('does what its route says', async () => {
    await start({}, async (request, req, res) => {
      request.applyRoute({
        deadlineMs: undefined,
        priority: undefined,
        exempt: false,
        mode: undefined,
        onDisconnect: 'cancel',
        covers: undefined,
      });
      await held(request, req, res);
    });
    expect(await hangUpDuring('POST')).toBe(true);
  });

  it('cancels a call that is only asked for afterwards', async () => {
    await start({}, () => undefined);
    const client = await server.connect();
    client.get();
    await until(() => server.requests.length === 1);
    client.hangUp();
    await until(() => server.of('inbound.end').length === 1);
    expect(server.requests[0]?.call.cancelled).toBe(true);
  });

  it('is not mistaken for one whose body has been read', async () => {
    await start({}, slow(80));
    const client = await server.connect();
    client.send('POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 2\r\n\r\n{}');
    await until(() => client.text.includes('done'));
    expect(client.text).toContain('200 OK');
    expect(server.requests[0]?.call.cancelled).toBe(false);
    expect(server.of('inbound.end')).toEqual([expect.objectContaining({ outcome: 'answered' })]);
  });

  it('while it waits in the queue gives its place up and runs nothing', async () => {
    let ran = 0;
    await start({ concurrency: { limit: 1, queue: { size: 5 } } }, async (_request, _req, res) => {
      ran++;
      await sleep(80);
      res.end('ok');
    });
    const first = server.get();
    await until(() => ran === 1);
    const client = await server.connect();
    client.get();
    await until(() => server.spillway.snapshot().inbound.queued === 1);
    client.hangUp();
    expect(await until(() => server.spillway.snapshot().inbound.queued === 0)).toBe(true);
    expect((await first).status).toBe(200);
    await sleep(20);
    expect(ran).toBe(1);
    expect(server.inFlight).toBe(0);
  });
});

describe('a slow upload', () => {
  it('lives as long as it takes when nobody asked for a deadline', async () => {
    await start({ deadline: { default: '50ms' } }, async (_request, req, res) => {
      let bytes = 0;
      for await (const chunk of req) bytes += (chunk as Buffer).length;
      res.end(String(bytes));
    });
    const client = await server.connect();
    client.send('POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 40\r\n\r\n');
    for (let i = 0; i < 4; i++) {
      client.send('x'.repeat(10));
      await sleep(40);
    }
    expect(await until(() => client.text.includes('40'))).toBe(true);
    expect(client.text).toContain('200 OK');
  });
});
