import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { InboundRequest } from '../../src/inbound/inbound-request.js';
import { RouteFallback } from '../../src/inbound/route-fallback.js';
import { createSpillway, nextTurn, type SpillwayEvent, VirtualClock } from '../../src/index.js';

describe('a request under a manual clock', () => {
  const clock = new VirtualClock();
  const events: SpillwayEvent[] = [];
  let server: Server;
  let handler: (request: InboundRequest) => void;
  let inbound: InboundRequest | undefined;

  beforeEach(async () => {
    events.length = 0;
    inbound = undefined;
    const spillway = createSpillway(
      { inbound: { deadline: { margin: '40ms', max: '60s' } } },
      { clock, observers: [(event) => events.push(event)] },
    );
    server = createServer((req, res) => {
      inbound = spillway.inbound.enter(req, res);
      handler(inbound);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(clock.pending).toBe(0);
  });

  /** Sends a request with 500 ms to live; resolves with its status. */
  function send(): Promise<number> {
    const { port } = server.address() as AddressInfo;
    return new Promise((resolve, reject) => {
      const outgoing = request({ port, headers: { 'x-request-budget-ms': '500' }, agent: false }, (res) => {
        res.resume().on('end', () => resolve(res.statusCode ?? 0));
      });
      outgoing.on('error', reject).end();
    });
  }

  async function arrival(): Promise<InboundRequest> {
    while (inbound === undefined) await nextTurn();
    return inbound;
  }

  it('is answered 504 at its deadline exactly, and not before', async () => {
    handler = () => undefined;
    const status = send();
    await arrival();
    await clock.advance(499);
    expect(events.map(({ type }) => type)).toEqual(['inbound.admitted']);
    await clock.advance(1);
    expect(events.slice(1, 3)).toMatchObject([
      { type: 'inbound.deadline', elapsedMs: 500 },
      { type: 'inbound.detached' },
    ]);
    expect(await status).toBe(504);
    inbound?.handled();
  });

  it('keeps 40 of 500 ms for the answer: 60 spent leave 400 for work', async () => {
    handler = () => undefined;
    const status = send();
    const taken = await arrival();
    await clock.advance(60);
    expect(taken.call.remainingMs()).toBe(400);
    taken.res.end();
    expect(await status).toBe(200);
  });

  it('is not cut when it was answered in time', async () => {
    handler = () => undefined;
    const status = send();
    const taken = await arrival();
    await clock.advance(499.9);
    taken.res.end('ok');
    expect(await status).toBe(200);
    await clock.advance(1000);
    expect(events.some(({ type }) => type === 'inbound.deadline')).toBe(false);
  });

  it('has its fallback run half a margin before its deadline, once', async () => {
    const ran: number[] = [];
    handler = (request) => {
      const fallback = new RouteFallback(request, 1000, () => {
        ran.push(clock.now() - request.call.arrivedAt);
        expect(request.call.remainingMs()).toBe(20);
        request.res.end('degraded');
      });
      expect(fallback.armed).toBe(true);
    };
    const status = send();
    await arrival();
    await clock.advance(479);
    expect(ran).toEqual([]);
    await clock.advance(1);
    expect(await status).toBe(200);
    expect(ran).toEqual([480]);
  });

  it('whose handler answered needs no fallback: its timer is out', async () => {
    let fallback: RouteFallback | undefined;
    handler = (request) => {
      fallback = new RouteFallback(request, 1000, () => undefined);
      request.res.end('ok');
    };
    expect(await send()).toBe(200);
    expect(fallback?.armed).toBe(false);
  });
});
