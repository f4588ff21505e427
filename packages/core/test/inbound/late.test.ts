import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { InboundConfig } from '../../src/index.js';
import { GuardedServer, type Handler, sleep, until } from './support/guarded-server.js';

let server: GuardedServer;

afterEach(() => server.close());

async function start(inbound: InboundConfig, handler: Handler): Promise<GuardedServer> {
  server = await GuardedServer.start(inbound, handler);
  return server;
}

const SHORT = { 'x-request-budget-ms': '30' };

describe('whatever a handler does after its 504', () => {
  it.each<[string, (res: ServerResponse) => unknown]>([
    ['end', (res) => res.end('late')],
    ['write', (res) => res.write('late')],
    ['writeHead', (res) => res.writeHead(200, { 'X-Late': '1' }).end('late')],
    ['flushHeaders', (res) => res.flushHeaders()],
    ['end twice', (res) => res.end('late').end('later')],
  ])('%s: one answer, no exception, counted', async (_name, act) => {
    await start({}, async (_request, _req, res) => {
      await sleep(60);
      res.setHeader('X-Late', '1');
      res.appendHeader('X-Late', '2');
      res.removeHeader('X-Late');
      act(res);
      res.end();
    });
    const client = await server.connect();
    client.get('/', 'X-Request-Budget-Ms: 30\r\n');
    await until(() => server.of('inbound.late').length === 1 && client.text.includes('504'));
    await sleep(20);
    expect(client.text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(client.text).toContain('504');
    expect(client.text).not.toContain('late');
    expect(server.errors).toEqual([]);
    expect(server.of('inbound.late')).toHaveLength(1);
  });

  it('callbacks of late writes are called', async () => {
    const called: string[] = [];
    await start({}, async (_request, _req, res) => {
      await sleep(60);
      res.write('x', () => called.push('write'));
      res.end(() => called.push('end'));
    });
    await server.get(SHORT);
    expect(await until(() => called.length === 2)).toBe(true);
    expect(called).toEqual(['write', 'end']);
  });

  it('drops what the handler had said about its own body, and keeps the rest', async () => {
    await start({}, (_request, _req, res) => {
      res.setHeader('Content-Length', '99');
      res.setHeader('Content-Encoding', 'gzip');
      res.setHeader('ETag', '"x"');
      res.setHeader('Cache-Control', 'public, max-age=9999');
      res.setHeader('Access-Control-Allow-Origin', '*');
    });
    const reply = await server.get(SHORT);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
      'content-length': String(Buffer.byteLength(reply.body)),
    });
    expect(reply.headers).not.toHaveProperty('content-encoding');
    expect(reply.headers).not.toHaveProperty('etag');
  });

  it('answers past what wraps the response', async () => {
    await start({}, (_request, _req, res) => {
      res.end = (() => {
        throw new Error('a wrapper got hold of it');
      }) as never;
      res.writeHead = (() => {
        throw new Error('a wrapper got hold of it');
      }) as never;
    });
    expect((await server.get(SHORT)).status).toBe(504);
  });
});

describe('a handler that runs on after its 504', () => {
  const LIMIT_1: InboundConfig = { concurrency: 1, detachAfter: '300ms' };
  const state = () => {
    const { inFlight, detached } = server.spillway.snapshot().inbound;
    return { inFlight, detached };
  };

  it('keeps its place and is counted as detached', async () => {
    await start(LIMIT_1, () => undefined);
    expect((await server.get(SHORT)).status).toBe(504);
    // this client's connection is gone with its answer, another one's is not
    const client = await server.connect();
    await until(() => state().inFlight === 0);
    client.get('/', 'X-Request-Budget-Ms: 30\r\n');
    await until(() => client.text.includes('504'));
    expect(state()).toEqual({ inFlight: 1, detached: 1 });
    expect(server.of('inbound.detached').length).toBeGreaterThanOrEqual(1);
    client.hangUp();
  });

  it.each<[string, (act: { write(): void; settle(): void; hangUp(): void }) => void]>([
    ['it writes late', ({ write }) => write()],
    ['its promise settles', ({ settle }) => settle()],
    ['its connection closes', ({ hangUp }) => hangUp()],
    ['detachAfter has gone by', () => undefined],
  ])('gives its place back when %s', async (_name, then) => {
    let write = () => {};
    await start({ concurrency: 1, detachAfter: '300ms' }, (_request, _req, res) => {
      write = () => void res.end('late');
    });
    const client = await server.connect();
    client.get('/', 'X-Request-Budget-Ms: 30\r\n');
    await until(() => client.text.includes('504'));
    expect(state()).toEqual({ inFlight: 1, detached: 1 });
    then({ write, settle: () => server.requests[0]?.handled(), hangUp: () => client.hangUp() });
    expect(await until(() => state().inFlight === 0, 1000)).toBe(true);
    expect(state().detached).toBe(0);
  });

  it('that had settled without an answer gives its place back with the 504', async () => {
    await start({ concurrency: 1 }, (request) => request.handled());
    const client = await server.connect();
    client.get('/', 'X-Request-Budget-Ms: 30\r\n');
    await until(() => client.text.includes('504'));
    expect(state()).toEqual({ inFlight: 0, detached: 0 });
  });

  it('twenty times on one connection warns of nothing', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => warnings.push(warning.name);
    process.on('warning', onWarning);
    await start({ concurrency: 100 }, () => undefined);
    const client = await server.connect();
    for (let i = 0; i < 20; i++) client.get('/', 'X-Request-Budget-Ms: 20\r\n');
    await until(() => client.text.split('HTTP/1.1 504').length === 21);
    expect(state()).toEqual({ inFlight: 20, detached: 20 });
    client.hangUp();
    expect(await until(() => state().inFlight === 0)).toBe(true);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('a contested answer', () => {
  it('goes to whoever is first, and the other does no harm', async () => {
    await start({}, async (request, _req, res) => {
      request.contest();
      res.setHeader('Content-Type', 'text/plain');
      res.end('first');
      await sleep(5);
      res.setHeader('X-Second', '1');
      res.writeHead(500);
      res.end('second');
    });
    const reply = await server.get();
    await sleep(20);
    expect(reply).toMatchObject({ status: 200, body: 'first' });
    expect(server.errors).toEqual([]);
    expect(server.of('inbound.late')).toHaveLength(1);
    expect(server.inFlight).toBe(0);
  });
});
