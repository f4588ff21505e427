import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { InboundConfig, RequestCall } from '../../src/index.js';
import { spillwayError } from '../../src/index.js';
import { GuardedServer, type Handler } from './support/guarded-server.js';

let server: GuardedServer;

afterEach(() => server.close());

const TRUSTING: InboundConfig = { trust: ['127.0.0.1'] };

async function start(handler: Handler, inbound: InboundConfig = TRUSTING): Promise<GuardedServer> {
  server = await GuardedServer.start(inbound, handler);
  return server;
}

/** Answers `status` after what happened in its call. */
const answering =
  (status: number, happened: (call: RequestCall) => void): Handler =>
  (request, _req, res) => {
    happened(request.call);
    res.statusCode = status;
    res.end();
  };

const failed = (attempts: number) => (call: RequestCall) => {
  call.failure = spillwayError('ERR_UPSTREAM', 'x', { attempts });
  call.attemptsMade = attempts;
};

describe('X-Should-Retry', () => {
  it.each([500, 502, 503, 504, 429])('is false on a %d after two attempts here', async (status) => {
    await start(answering(status, failed(2)));
    expect((await server.get()).headers['x-should-retry']).toBe('false');
  });

  it.each([200, 304, 400, 404])('says nothing on a %d', async (status) => {
    await start(answering(status, failed(3)));
    expect((await server.get()).headers).not.toHaveProperty('x-should-retry');
  });

  it('says nothing after a first local refusal: another instance may serve it', async () => {
    await start(
      answering(503, (call) => {
        call.failure = spillwayError('ERR_BREAKER_OPEN', 'x', { retryAfterMs: 1000 });
      }),
    );
    expect((await server.get()).headers).not.toHaveProperty('x-should-retry');
  });

  it('says nothing when the failure has been mended', async () => {
    await start(
      answering(500, (call) => {
        call.attemptsMade = 3;
      }),
    );
    expect((await server.get()).headers).not.toHaveProperty('x-should-retry');
  });

  it('is passed on when a dependency has said so', async () => {
    await start(
      answering(502, (call) => {
        failed(1)(call);
        call.toldNotToRetry = true;
      }),
    );
    expect((await server.get()).headers['x-should-retry']).toBe('false');
  });

  it('is false when a trusted caller is at its second attempt, even if no call was made', async () => {
    await start((_request, _req, res) => {
      res.statusCode = 500;
      res.end();
    });
    expect((await server.get({ 'x-request-attempt': '2' })).headers['x-should-retry']).toBe('false');
    expect((await server.get({ 'x-request-attempt': '1' })).headers).not.toHaveProperty('x-should-retry');
  });

  it.each(['0', '-2', '2.5', 'two', '99999', '2, 3'])('does not take %j for an attempt', async (attempt) => {
    await start(answering(500, () => undefined));
    const { headers } = await server.get({ 'x-request-attempt': attempt });
    expect(headers).not.toHaveProperty('x-should-retry');
  });

  it('does not believe an untrusted caller', async () => {
    await start(
      answering(500, () => undefined),
      {},
    );
    const { headers } = await server.get({ 'x-request-attempt': '2' });
    expect(headers).not.toHaveProperty('x-should-retry');
  });

  it("stands on the gate's own refusal of a second attempt, not of a first", async () => {
    await start(() => undefined, { ...TRUSTING, concurrency: 1 });
    const holder = await server.connect();
    holder.get();
    while (server.inFlight === 0) await new Promise((resolve) => setImmediate(resolve));
    const first = await server.get({ 'x-request-attempt': '1' });
    const second = await server.get({ 'x-request-attempt': '2' });
    expect([first.status, second.status]).toEqual([503, 503]);
    expect(first.headers).not.toHaveProperty('x-should-retry');
    expect(second.headers['x-should-retry']).toBe('false');
  });
});

describe('Retry-After of an answer that is not ours', () => {
  const refused = (call: RequestCall) => {
    call.failure = spillwayError('ERR_BREAKER_OPEN', 'x', { retryAfterMs: 7200 });
  };

  it.each([503, 504])('is added to a %d for a call that was refused', async (status) => {
    await start(answering(status, refused));
    expect((await server.get()).headers['retry-after']).toBe('8');
  });

  it.each([200, 500, 502, 429])('is not added to a %d', async (status) => {
    await start(answering(status, refused));
    expect((await server.get()).headers).not.toHaveProperty('retry-after');
  });

  it.each<[string, (res: ServerResponse) => void]>([
    ['set before', (res) => void res.setHeader('retry-after', '99').writeHead(503)],
    ['in the object given to writeHead', (res) => void res.writeHead(503, { 'Retry-After': '99' })],
    ['after a reason', (res) => void res.writeHead(503, 'Busy', { 'retry-after': '99' })],
    ['in a flat list', (res) => void res.writeHead(503, ['X-A', '1', 'Retry-After', '99'])],
  ])('leaves one alone that is %s', async (_how, write) => {
    await start((request, _req, res) => {
      refused(request.call);
      write(res);
      res.end();
    });
    expect((await server.get()).headers['retry-after']).toBe('99');
  });
});

describe('X-Degraded', () => {
  it('names everybody who was stood in for', async () => {
    await start(
      answering(200, (call) => {
        call.degraded.add('quotes');
        call.degraded.add('news');
      }),
    );
    expect((await server.get()).headers['x-degraded']).toBe('quotes, news');
  });

  it('is a legal header whatever a dependency is called', async () => {
    await start(
      answering(200, (call) => {
        call.degraded.add('кот, dog\r\nX-Evil: 1');
      }),
    );
    const { status, headers } = await server.get();
    expect(status).toBe(200);
    expect(headers).not.toHaveProperty('x-evil');
    expect(headers['x-degraded']).toMatch(/^\?+dog/);
  });
});

describe('an answer', () => {
  it('with nothing to say is left as it is', async () => {
    await start((request, _req, res) => {
      void request.call;
      res.writeHead(201, 'Made', { 'X-Own': '1' });
      res.end('x');
    });
    const { status, headers } = await server.get();
    expect(status).toBe(201);
    expect(Object.keys(headers).sort()).toEqual(['connection', 'date', 'transfer-encoding', 'x-own']);
  });

  it('may send early hints first', async () => {
    await start((request, _req, res) => {
      request.call.degraded.add('quotes');
      res.writeEarlyHints({ link: '</a.css>; rel=preload' });
      res.end('x');
    });
    expect(await server.get()).toMatchObject({ status: 200, body: 'x' });
  });

  it('whose headers are written twice fails as it does without us', async () => {
    await start((_request, _req, res) => {
      res.writeHead(200);
      res.writeHead(500);
    });
    const client = await server.connect();
    client.get();
    while (server.errors.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(server.errors[0]).toMatchObject({ code: 'ERR_HTTP_HEADERS_SENT' });
  });
});
