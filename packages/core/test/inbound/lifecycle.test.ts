import { afterEach, describe, expect, it } from '@jest/globals';
import type { InboundConfig } from '../../src/index.js';
import { GuardedServer, type Handler, sleep, until } from './support/guarded-server.js';

let server: GuardedServer;

afterEach(() => server.close());

async function start(inbound: InboundConfig, handler: Handler): Promise<GuardedServer> {
  server = await GuardedServer.start(inbound, handler);
  return server;
}

const LIMIT_1: InboundConfig = { concurrency: 1 };

describe('a request that ends', () => {
  it('gives its place back when its answer has been sent', async () => {
    await start(LIMIT_1, (_request, _req, res) => res.end('ok'));
    for (let i = 0; i < 3; i++) expect(await server.get()).toMatchObject({ status: 200, body: 'ok' });
    expect(server.inFlight).toBe(0);
    expect(server.of('inbound.end')).toHaveLength(3);
    expect(server.of('inbound.end')[0]).toMatchObject({ outcome: 'answered', status: 200 });
  });

  it.each([
    ['204', 'GET', 204],
    ['304', 'GET', 304],
    ['404', 'GET', 404],
    ['HEAD', 'HEAD', 200],
  ])('gives its place back after a %s', async (_name, method, status) => {
    await start(LIMIT_1, (_request, _req, res) => {
      res.statusCode = status;
      res.end();
    });
    expect((await server.get({}, '/', method)).status).toBe(status);
    expect((await server.get({}, '/', method)).status).toBe(status);
    expect(server.inFlight).toBe(0);
  });

  it('gives its place back when its client hangs up before the answer', async () => {
    await start(LIMIT_1, () => undefined);
    const client = await server.connect();
    client.get();
    expect(await until(() => server.inFlight === 1)).toBe(true);
    client.hangUp();
    expect(await until(() => server.inFlight === 0)).toBe(true);
    expect(server.of('inbound.end')).toEqual([
      expect.objectContaining({ outcome: 'aborted', status: undefined }),
    ]);
  });

  it('gives its place back when its handler answers after the client hung up', async () => {
    await start(LIMIT_1, async (_request, _req, res) => {
      await sleep(40);
      res.end('late');
    });
    const client = await server.connect();
    client.get();
    await until(() => server.inFlight === 1);
    client.hangUp();
    await sleep(80);
    expect(server.inFlight).toBe(0);
    expect(server.errors).toEqual([]);
    expect(server.of('inbound.end')).toHaveLength(1);
  });

  it('gives every place back when a client that pipelines hangs up', async () => {
    await start({ concurrency: 20 }, () => undefined);
    const client = await server.connect();
    for (let i = 0; i < 15; i++) client.get();
    expect(await until(() => server.inFlight === 15)).toBe(true);
    client.hangUp();
    expect(await until(() => server.inFlight === 0)).toBe(true);
  });

  it('takes no place when a client that pipelines hung up before it was taken in', async () => {
    await start({ concurrency: 20 }, () => undefined);
    server.before = (req) => new Promise((resolve) => req.socket.once('close', () => setImmediate(resolve)));
    const client = await server.connect();
    for (let i = 0; i < 3; i++) client.get();
    expect(await until(() => server.arrivals === 3)).toBe(true);
    client.hangUp();
    expect(await until(() => server.requests.length === 3)).toBe(true);
    expect(server.inFlight).toBe(0);
    expect(server.requests.every(({ call }) => call.cancelled)).toBe(true);
  });

  it('has been aborted when its client hangs up while a long answer stands in the buffer', async () => {
    await start(LIMIT_1, (_request, _req, res) => res.end(Buffer.alloc(40_000_000)));
    const client = await server.connect();
    client.socket.pause();
    client.get();
    expect(await until(() => server.inFlight === 1)).toBe(true);
    client.hangUp();
    expect(await until(() => server.inFlight === 0)).toBe(true);
    expect(server.of('inbound.end')).toEqual([expect.objectContaining({ outcome: 'aborted', status: 200 })]);
  });

  it('has been aborted when its client hangs up in the middle of its body, and the failure to read that is answered', async () => {
    await start(LIMIT_1, (_request, req, res) => {
      req.once('error', () => {
        res.statusCode = 500;
        res.end('no body');
      });
      req.resume();
    });
    const client = await server.connect();
    client.send('POST / HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\nhalf');
    expect(await until(() => server.inFlight === 1)).toBe(true);
    client.hangUp();
    expect(await until(() => server.inFlight === 0)).toBe(true);
    expect(server.of('inbound.end')).toEqual([expect.objectContaining({ outcome: 'aborted' })]);
  });

  it('makes room when its handler takes the connection for itself', async () => {
    await start(LIMIT_1, (_request, req, res) => {
      if (req.url !== '/taken') res.end('ok');
      else res.detachSocket(req.socket);
    });
    const client = await server.connect();
    client.get('/taken');
    expect(await until(() => server.of('inbound.admitted').length === 1)).toBe(true);
    expect((await server.get()).status).toBe(200);
    expect(server.inFlight).toBe(0);
    client.hangUp();
  });

  it('answers pipelined requests in order', async () => {
    await start({ concurrency: 20 }, async (_request, req, res) => {
      await sleep(req.url === '/1' ? 40 : 1);
      res.end(req.url);
    });
    const client = await server.connect();
    for (let i = 1; i <= 3; i++) client.get(`/${i}`);
    expect(await until(() => client.text.includes('/3'))).toBe(true);
    expect(client.text.match(/\/\d(?!\.1)/g)).toEqual(['/1', '/2', '/3']);
    expect(await until(() => server.inFlight === 0)).toBe(true);
  });
});

describe('a stream', () => {
  it('leaves the gate when its headers are out, and is not cut', async () => {
    await start({ concurrency: 1, deadline: { max: '60s' } }, async (_request, req, res) => {
      if (req.url !== '/stream') return res.end('other');
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (let i = 0; i < 4; i++) {
        res.write(`data: ${i}\n\n`);
        await sleep(30);
      }
      return res.end();
    });
    const client = await server.connect();
    client.get('/stream', 'X-Request-Budget-Ms: 50\r\n');
    expect(await until(() => client.text.includes('data: 0'))).toBe(true);
    expect(await server.get()).toMatchObject({ status: 200, body: 'other' });
    expect(await until(() => client.text.includes('data: 3'))).toBe(true);
    expect(server.of('inbound.deadline')).toEqual([]);
  });

  it('lets operations go by their own deadline once its headers are out', async () => {
    await start({}, (request, _req, res) => {
      const { call } = request;
      const before = call.workUntil;
      res.write('first');
      res.end(String(before !== call.workUntil && call.workUntil === Number.POSITIVE_INFINITY));
    });
    expect((await server.get({ 'x-request-budget-ms': '500' })).body).toBe('firsttrue');
  });

  it('has its work cancelled when its client leaves, for a GET', async () => {
    await start({}, (request, _req, res) => {
      res.write('first');
      void request.call;
    });
    const client = await server.connect();
    client.get();
    await until(() => client.text.includes('first'));
    client.hangUp();
    expect(await until(() => server.requests[0]?.call.cancelled === true)).toBe(true);
    expect(server.requests[0]?.call.reason).toMatchObject({ code: 'ERR_CANCELLED' });
  });
});

describe('the deadline of a request', () => {
  it('is answered with 504 and problem details in time, once', async () => {
    await start({}, async (_request, _req, res) => {
      await sleep(900);
      res.end('too late');
    });
    const reply = await server.get({ 'x-request-budget-ms': '60' });
    expect(reply.status).toBe(504);
    expect(reply.ms).toBeGreaterThanOrEqual(59);
    expect(reply.ms).toBeLessThan(800);
    expect(reply.headers['content-type']).toBe('application/problem+json');
    expect(JSON.parse(reply.body)).toMatchObject({
      status: 504,
      code: 'ERR_DEADLINE_EXCEEDED',
      service: 'test',
    });
    await until(() => server.of('inbound.late').length > 0);
    expect(server.errors).toEqual([]);
    expect(server.of('inbound.late')).toEqual([expect.objectContaining({ how: 'answer' })]);
    expect(server.of('inbound.deadline')).toHaveLength(1);
  });

  it('answers nothing that nobody asked for: work is bounded, the answer is not', async () => {
    await start({ deadline: { default: '30ms' } }, async (request, _req, res) => {
      const { answerBy, workUntil, arrivedAt } = request.call;
      await sleep(80);
      res.end(JSON.stringify({ answerBy: String(answerBy), workMs: Math.round(workUntil - arrivedAt) }));
    });
    const reply = await server.get();
    expect(reply.status).toBe(200);
    expect(JSON.parse(reply.body)).toEqual({ answerBy: 'Infinity', workMs: 24 });
  });

  it('that has passed on arrival is answered without running anything', async () => {
    let ran = false;
    await start({}, (_request, _req, res) => {
      ran = true;
      res.end();
    });
    expect(await server.get({ 'grpc-timeout': '0S' })).toMatchObject({ status: 504 });
    expect(ran).toBe(false);
    expect(server.of('inbound.expired')).toEqual([expect.objectContaining({ source: 'grpc-timeout' })]);
    expect(server.inFlight).toBe(0);
  });

  it('is cut to the longest allowed, and leaves a margin of at most a fifth', async () => {
    await start({ deadline: { max: '2s', default: '1s', margin: '100ms' } }, (request, _req, res) => {
      const { answerBy, workUntil, arrivedAt } = request.call;
      res.end(JSON.stringify([answerBy - arrivedAt, workUntil - arrivedAt].map(Math.round)));
    });
    const bounds = async (ms: string) => JSON.parse((await server.get({ 'x-request-budget-ms': ms })).body);
    expect(await bounds('9000')).toEqual([2000, 1900]);
    expect(await bounds('100')).toEqual([100, 80]);
    expect(await bounds('500')).toEqual([500, 400]);
  });

  it('destroys a response that had begun, where it covers all of it', async () => {
    await start({ concurrency: 1, deadline: { covers: 'response' } }, (_request, _req, res) => {
      res.write('part of the ');
    });
    const client = await server.connect();
    client.get('/', 'X-Request-Budget-Ms: 60\r\n');
    expect(await until(() => client.closed)).toBe(true);
    expect(client.text).toContain('part of the ');
    expect(client.text).not.toContain('problem');
    expect(server.of('inbound.end')).toEqual([expect.objectContaining({ outcome: 'failed' })]);
    expect(server.inFlight).toBe(0);
  });

  it('only counts in observe mode', async () => {
    await start({ deadline: { mode: 'observe' } }, async (request, _req, res) => {
      await sleep(60);
      res.end(String(request.call.workUntil));
    });
    expect(await server.get({ 'x-request-budget-ms': '20' })).toMatchObject({
      status: 200,
      body: 'Infinity',
    });
    expect(server.of('inbound.deadline')).toHaveLength(1);
  });

  it('tells work that is cut from work whose client has gone', async () => {
    await start({}, () => undefined);
    const pending = server.get({ 'x-request-budget-ms': '40' });
    await until(() => server.requests.length === 1);
    const { signal } = server.requests[0]?.call ?? {};
    await pending;
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toMatchObject({ code: 'ERR_DEADLINE_EXCEEDED' });
  });

  it('leaves the connection in order for the next request', async () => {
    await start({}, async (_request, req, res) => {
      if (req.url === '/next') return res.end('next');
      await sleep(80);
      res.setHeader('X-Late', '1');
      res.writeHead(200, { 'Content-Type': 'text/plain' });
      res.write('late');
      return res.end();
    });
    const client = await server.connect();
    client.get('/', 'X-Request-Budget-Ms: 30\r\n');
    await until(() => client.text.includes('504'));
    await sleep(80);
    client.get('/next');
    expect(await until(() => client.text.includes('next'))).toBe(true);
    expect(client.text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 504', 'HTTP/1.1 200']);
    expect(client.text).not.toContain('late');
    expect(server.errors).toEqual([]);
  });
});
