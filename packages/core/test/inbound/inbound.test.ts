import { afterEach, describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../src/index.js';
import { GuardedServer, type RawClient, sleep, until } from './support/guarded-server.js';

let server: GuardedServer;

afterEach(() => server.close());

describe('the inbound room', () => {
  it('without a gate refuses nobody', async () => {
    server = await GuardedServer.start({ concurrency: false }, async (_request, _req, res) => {
      await sleep(20);
      res.end();
    });
    const replies = await Promise.all(Array.from({ length: 50 }, () => server.get()));
    expect(replies.every(({ status }) => status === 200)).toBe(true);
    expect(server.spillway.snapshot().inbound).toMatchObject({ inFlight: 0, refused: {} });
    expect(JSON.stringify(server.spillway.snapshot())).not.toContain('null');
  });

  it('has nothing to guard where somebody has answered already', async () => {
    server = await GuardedServer.start({ concurrency: 1 }, () => undefined);
    server.before = (_req, res) => res.end('ok');
    expect((await server.get({ 'x-request-budget-ms': '20' })).body).toBe('ok');
    await sleep(40);
    expect(server.requests[0]?.decision).toBe('admitted');
    expect(server.events).toEqual([]);
    expect(server.inFlight).toBe(0);
  });

  it('writes no refusal over the answer that somebody has given already', async () => {
    server = await GuardedServer.start({ concurrency: 1 }, () => undefined);
    server.before = (req, res) => (req.headers['x-answered'] === undefined ? undefined : res.end('ok'));
    const inside = await server.connect();
    inside.get();
    await until(() => server.inFlight === 1);
    expect((await server.get({ 'x-answered': '1' })).body).toBe('ok');
    expect((await server.get({ 'x-answered': '1', 'grpc-timeout': '0m' })).body).toBe('ok');
    expect((await server.get()).status).toBe(503);
    expect(server.requests.map(({ decision }) => decision)).toEqual([
      'admitted',
      'admitted',
      'admitted',
      'refused',
    ]);
    inside.hangUp();
    expect(await until(() => server.inFlight === 0)).toBe(true);
  });

  it('gives up the work for a client that has left before', async () => {
    server = await GuardedServer.start({ concurrency: 1 }, () => undefined);
    server.before = (req) => new Promise((resolve) => req.socket.once('close', resolve));
    const client = await server.connect();
    client.get();
    await until(() => server.arrivals === 1);
    client.hangUp();
    expect(await until(() => server.requests.length === 1)).toBe(true);
    expect(server.requests[0]?.call.cancelled).toBe(true);
    expect(server.inFlight).toBe(0);
  });

  it('tells what happened, in order', async () => {
    server = await GuardedServer.start({ trust: ['127.0.0.1'] }, (_request, _req, res) => res.end('ok'));
    await server.get({
      'x-request-budget-ms': '400',
      'x-request-criticality': 'sheddable_plus',
      'grpc-timeout': 'x',
    });
    await until(() => server.of('inbound.end').length === 1);
    expect(server.events.map(({ type }) => type)).toEqual([
      'inbound.malformed',
      'inbound.admitted',
      'inbound.end',
    ]);
    const [admitted] = server.of('inbound.admitted');
    expect(admitted).toMatchObject({ source: 'x-request-budget-ms', priority: 'sheddable_plus' });
    expect(admitted?.deadlineLeftMs).toBeGreaterThan(300);
    expect(admitted?.deadlineLeftMs).toBeLessThanOrEqual(380);
  });

  it.each(['urgent', 'CRITICAL', '', 'toString', 'critical, sheddable'])(
    'takes %j for no class of criticality',
    async (value) => {
      server = await GuardedServer.start({ trust: () => true }, (request, _req, res) =>
        res.end(request.call.facts.criticality),
      );
      expect((await server.get({ 'x-request-criticality': value })).body).toBe('critical');
    },
  );

  it('an idempotency key that is nobody’s is none', async () => {
    server = await GuardedServer.start({}, (request, _req, res) =>
      res.end(String(request.call.facts.idempotencyKey)),
    );
    expect((await server.get({ 'idempotency-key': 'k-1' })).body).toBe('k-1');
    expect((await server.get({ 'idempotency-key': 'k'.repeat(256) })).body).toBe('undefined');
    expect((await server.get()).body).toBe('undefined');
  });

  it('hundreds of requests with random endings leave nothing behind', async () => {
    const random = seededRandom(20);
    const endings = ['answer', 'throw', 'stream', 'never', 'late', 'destroy'] as const;
    const limits = { concurrency: { limit: 5000, queue: { size: 100 } }, detachAfter: '50ms' } as const;
    server = await GuardedServer.start(limits, async (request, req, res) => {
      void request.call;
      const ending = new URL(req.url ?? '/', 'http://x').pathname.slice(1);
      await sleep(random() * 10);
      if (ending === 'answer') res.end('x');
      if (ending === 'throw') throw new Error('boom');
      if (ending === 'late') await sleep(60).then(() => res.end('late'));
      if (ending === 'destroy') res.destroy();
      if (ending !== 'stream') return;
      res.write('a');
      await sleep(random() * 20);
      res.end('b');
    });
    const clients: RawClient[] = [];
    for (let i = 0; i < 25; i++) {
      const batch = await Promise.all(Array.from({ length: 16 }, () => server.connect()));
      for (const client of batch) {
        const ending = endings[Math.floor(random() * endings.length)];
        client.get(`/${ending}`, random() < 0.5 ? 'X-Request-Budget-Ms: 30\r\n' : '');
        if (random() < 0.4) void sleep(random() * 20).then(() => client.hangUp());
        else if (ending === 'never' || ending === 'throw') void sleep(60).then(() => client.hangUp());
      }
      clients.push(...batch);
    }
    const settled = () => {
      const { inFlight, queued, detached } = server.spillway.snapshot().inbound;
      const ended = server.of('inbound.end').length;
      return (
        inFlight + queued + detached === 0 &&
        ended === server.requests.length &&
        clients.every(({ text, closed }) => closed || text.includes('HTTP/1.1'))
      );
    };
    expect(await until(settled, 10_000)).toBe(true);
    // whoever hangs up before being read is nobody's request
    expect(server.requests.length).toBeGreaterThan(150);
    expect(server.of('inbound.refused')).toEqual([]);
    expect(server.requests.filter((request) => request.armed)).toEqual([]);
    for (const client of clients) client.hangUp();
  }, 40_000);
});
