import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { InboundRequest } from '../../src/inbound/inbound-request.js';
import {
  createSpillway,
  type GuardOptions,
  guardServer,
  type InboundConfig,
  routeSettings,
  type Spillway,
} from '../../src/index.js';
import { RawClient, sleep, until } from './support/guarded-server.js';

type Handler = (req: IncomingMessage, res: ServerResponse) => unknown;

describe('a guarded server', () => {
  let server: Server;
  let spillway: Spillway;
  const clients: RawClient[] = [];
  /** URLs of the requests that reached the application. */
  let heard: string[] = [];

  async function serve(inbound: InboundConfig, handler: Handler, options?: GuardOptions): Promise<void> {
    heard = [];
    spillway = createSpillway({ service: 'test', inbound });
    server = createServer((req, res) => {
      heard.push(req.url ?? '');
      handler(req, res);
    });
    guardServer(server, spillway, options);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  }

  afterEach(async () => {
    for (const client of clients.splice(0)) client.hangUp();
    spillway.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function get(path = '/', headers: Record<string, string> = {}): Promise<number> {
    const { port } = server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const outgoing = request({ port, host: '127.0.0.1', path, headers, agent: false }, (res) => {
        res.resume().once('end', () => resolve(res.statusCode ?? 0));
      });
      outgoing.once('error', reject).end();
    });
  }

  async function open(): Promise<RawClient> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    const client = new RawClient(socket);
    clients.push(client);
    return client;
  }

  const inbound = () => spillway.snapshot().inbound;
  const held: ServerResponse[] = [];
  const hold: Handler = (req, res) => (req.url === '/held' ? held.push(res) : res.end('ok'));
  const release = () => {
    for (const res of held.splice(0)) res.end('held');
  };

  it('needs no adapter behind it: it refuses, and answers 504 in time', async () => {
    await serve({ concurrency: 1 }, hold);
    const first = get('/held', { 'x-request-budget-ms': '60' });
    await until(() => inbound().inFlight === 1);
    expect(await get()).toBe(503);
    expect(await first).toBe(504);
    expect(heard).toEqual(['/held']);
    release();
    expect(await until(() => inbound().inFlight === 0)).toBe(true);
  });

  it('lets exempt paths pass, given by name or by a predicate, and counts them not', async () => {
    for (const exempt of [['/health'], (path: string) => path.startsWith('/health')]) {
      await serve({ concurrency: 1 }, hold, { exempt });
      const first = get('/held');
      await until(() => inbound().inFlight === 1);
      expect(await get('/health?deep=1')).toBe(200);
      expect(await get('/else')).toBe(503);
      expect(inbound().inFlight).toBe(1);
      release();
      expect(await first).toBe(200);
      spillway.close();
      await new Promise((resolve) => server.close(resolve));
    }
    await serve({}, hold);
  });

  it('lets the more critical wait in front, and tells nobody of one that left the queue', async () => {
    await serve({ concurrency: { limit: 1, queue: { size: 5, wait: '5s' } } }, hold, {
      priority: ({ url }) => (url === '/low' ? 'sheddable' : 'critical'),
    });
    const first = get('/held');
    await until(() => inbound().inFlight === 1);
    const gone = await open();
    gone.get('/gone');
    await until(() => inbound().queued === 1);
    const low = get('/low');
    await until(() => inbound().queued === 2);
    const high = get('/high');
    await until(() => inbound().queued === 3);
    gone.hangUp();
    await until(() => inbound().queued === 2);
    release();
    expect(await Promise.all([first, low, high])).toEqual([200, 200, 200]);
    expect(heard).toEqual(['/held', '/high', '/low']);
  });

  it('leaves `Expect: 100-continue` to an application that listens for it', async () => {
    await serve({ concurrency: 1 }, (req, res) => req.resume().once('end', () => res.end('read')));
    server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
      if (req.url === '/no') res.writeHead(417).end();
      else {
        res.writeContinue();
        server.emit('request', req, res);
      }
    });
    const client = await open();
    const upload = (path: string) =>
      client.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n`);
    upload('/yes');
    expect(await until(() => client.text.includes('100 Continue'))).toBe(true);
    client.send('ab');
    expect(await until(() => client.text.includes('HTTP/1.1 200'))).toBe(true);
    await until(() => inbound().inFlight === 0);
    upload('/no');
    expect(await until(() => client.text.includes('HTTP/1.1 417'))).toBe(true);
    expect(heard).toEqual(['/yes']);
    expect(await until(() => inbound().inFlight === 0)).toBe(true);
  });

  it('hands a request on to the adapter behind it, which may add what it knows', async () => {
    const taken: InboundRequest[] = [];
    await serve({ concurrency: 1 }, (req, res) => {
      const route = routeSettings({ deadline: '900ms', priority: 'critical_plus' });
      const entry = { callerScope: 'tenant-7', priority: 'sheddable', route } as const;
      taken.push(spillway.inbound.enter(req, res, entry), spillway.inbound.enter(req, res));
      res.end();
    });
    expect(await get('/', { 'x-request-budget-ms': '5000' })).toBe(200);
    const [first, second] = taken as [InboundRequest, InboundRequest];
    expect(second).toBe(first);
    expect(first.call.facts).toMatchObject({ callerScope: 'tenant-7', criticality: 'critical_plus' });
    expect(first.answerBy - first.arrivedAt).toBeCloseTo(900);
    expect(await until(() => inbound().inFlight === 0)).toBe(true);
  });

  it('gives the place back of a request that only the adapter knows to be exempt', async () => {
    await serve({ concurrency: 1 }, (req, res) => {
      spillway.inbound.enter(req, res, { exempt: true });
      held.push(res);
    });
    const both = [get('/a')];
    await until(() => heard.length === 1);
    expect(inbound().inFlight).toBe(0);
    both.push(get('/b'));
    await until(() => heard.length === 2);
    release();
    expect(await Promise.all(both)).toEqual([200, 200]);
  });

  it('has answered in the place of a handler that comes to its adapter too late', async () => {
    const taken: InboundRequest[] = [];
    await serve({}, async (req, res) => {
      await sleep(80);
      taken.push(spillway.inbound.enter(req, res));
      res.end('late');
    });
    expect(await get('/', { 'x-request-budget-ms': '30' })).toBe(504);
    expect(await until(() => taken.length === 1)).toBe(true);
    expect(taken[0]).toMatchObject({ decision: 'admitted', answeredForHandler: true });
    expect(await until(() => inbound().inFlight === 0 && inbound().detached === 0)).toBe(true);
  });

  it('that is guarded by two spillways passes both gates', async () => {
    await serve({ concurrency: 5 }, hold);
    const outer = createSpillway({ service: 'outer', inbound: { concurrency: 1 } });
    guardServer(server, outer);
    expect(server.listenerCount('checkContinue')).toBe(1);
    const first = get('/held');
    await until(() => inbound().inFlight === 1);
    expect(await get()).toBe(503);
    expect(outer.snapshot().inbound).toMatchObject({ inFlight: 1, refused: { limit: 1 } });
    release();
    expect(await first).toBe(200);
    outer.close();
  });
});
