import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { describe, expect, jest, test } from '@jest/globals';
import { createSpillway, type SpillwayConfig, VirtualClock } from '@spillway/core';
import express from 'express';
import { dashboard } from '../../src/index.js';
import { ask, eventually, serve } from '../support/site.js';

type Authorize = (req: IncomingMessage) => boolean | Promise<boolean>;

async function site(authorize: Authorize | undefined = () => true, config: SpillwayConfig = {}) {
  const clock = new VirtualClock();
  const spillway = createSpillway(
    { ...config, dependencies: { quotes: {}, 'no-breaker': { breaker: false as const } } },
    { clock },
  );
  const page = dashboard(spillway, authorize === undefined ? {} : { authorize });
  const port = await serve(page);
  const send = (body: unknown, headers: OutgoingHttpHeaders = {}, method = 'POST') => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const all = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin', ...headers };
    return ask(port, '/control', { method, headers: all }, text);
  };
  const order = (action: string, more: object = {}) => send({ dependency: 'quotes', action, ...more });
  const quotes = spillway.dependency('quotes');
  return { clock, spillway, port, page, send, order, quotes };
}

const FORCE_OPEN = { dependency: 'quotes', action: 'forceOpen' };

describe('control obeys', () => {
  test('orders for the breaker', async () => {
    const { order, quotes, spillway } = await site();
    expect(await order('forceOpen')).toMatchObject({
      status: 200,
      body: '{"done":"forced the breaker open"}',
    });
    expect(quotes.breaker.state).toBe('forced-open');
    await order('forceClose');
    expect(quotes.breaker.state).toBe('closed');
    await order('observeOnly');
    expect(spillway.snapshot().dependencies[0]?.breakers[0]?.mode).toBe('observe');
    await order('reset');
    expect(spillway.snapshot().dependencies[0]?.breakers[0]?.mode).toBe('enforce');
  });

  test('orders to inject a fault, which ends by itself, and to take it back', async () => {
    const { clock, order, spillway } = await site();
    const faults = () => spillway.snapshot().dependencies[0]?.faults ?? [];
    expect((await order('inject', { fault: { status: 503, share: 0.5 } })).status).toBe(200);
    expect(faults()).toEqual([expect.objectContaining({ status: 503, share: 0.5, leftMs: 300_000 })]);
    await order('inject', { fault: { latency: '1s', until: '1m' } });
    await clock.advance(60_000);
    expect(faults()).toHaveLength(1);
    expect(await order('undo')).toMatchObject({ status: 200 });
    expect(faults()).toEqual([]);
  });

  test('an authorize that takes its time', async () => {
    const { order, quotes } = await site(async (req) => req.headers['sec-fetch-site'] === 'same-origin');
    expect((await order('forceOpen')).status).toBe(200);
    expect(quotes.breaker.state).toBe('forced-open');
  });

  test('a body that the application has parsed already', async () => {
    const spillway = createSpillway({ dependencies: { quotes: {} } }, { clock: new VirtualClock() });
    const app = express()
      .use(express.json())
      .use('/ops', dashboard(spillway, { authorize: () => true }));
    const port = await serve(app);
    const headers = { 'Content-Type': 'application/json', Origin: `http://127.0.0.1:${port}` };
    const answer = await ask(port, '/ops/control', { method: 'POST', headers }, JSON.stringify(FORCE_OPEN));
    expect(answer.status).toBe(200);
    expect(spillway.dependency('quotes').breaker.state).toBe('forced-open');
  });
});

describe('control refuses', () => {
  test.each<[number, string, OutgoingHttpHeaders, string]>([
    [403, 'another site', { 'Sec-Fetch-Site': 'cross-site' }, 'POST'],
    [415, 'a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'POST'],
    [415, 'plain text, which needs no preflight', { 'Content-Type': 'text/plain' }, 'POST'],
    [405, 'another method', {}, 'PUT'],
  ])('with %i %s', async (status, _, headers, method) => {
    let asked = 0;
    const { send, quotes } = await site(() => {
      asked++;
      return true;
    });
    const answer = await send(FORCE_OPEN, headers, method);
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } });
    expect(quotes.breaker.state).toBe('closed');
    expect(asked).toBe(0);
  });

  test.each<[string, Authorize | undefined, string]>([
    ['everybody where no authorize is given', undefined, 'Control is off'],
    ['whom authorize refuses', () => false, 'authorize'],
    ['whom authorize promises to refuse', async () => false, 'authorize'],
    ['an authorize that answers something true-ish', (() => 'yes') as unknown as Authorize, 'authorize'],
  ])('with 403 %s', async (_, authorize, detail) => {
    const clock = new VirtualClock();
    const spillway = createSpillway({ dependencies: { quotes: {} } }, { clock });
    const port = await serve(dashboard(spillway, authorize === undefined ? {} : { authorize }));
    const headers = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' };
    const answer = await ask(port, '/control', { method: 'POST', headers }, JSON.stringify(FORCE_OPEN));
    expect(answer.status).toBe(403);
    expect(JSON.parse(answer.body).detail).toContain(detail);
    expect(spillway.dependency('quotes').breaker.state).toBe('closed');
    expect((await ask(port, '/control')).body).toBe('{"allowed":false}');
  });

  test.each<[number, unknown, string]>([
    [400, 'no json', 'no JSON'],
    [400, [], 'Give { dependency, action }'],
    [400, { dependency: 'quotes', action: 'explode' }, 'Give { dependency, action }'],
    [400, { dependency: 'quotes', action: 'constructor' }, 'Give { dependency, action }'],
    [400, { dependency: 'quotes', action: 'inject' }, 'one with latency, status or error'],
    [400, { dependency: 'quotes', action: 'inject', fault: { status: 99 } }, 'from 200 to 599'],
    [400, { dependency: 'quotes', action: 'inject', fault: { status: 500, until: '2h' } }, "up to '1h'"],
    [
      400,
      { dependency: 'quotes', action: 'inject', fault: { status: 500, until: { toString: 1 } } },
      'until is {"toString":1}',
    ],
    [
      400,
      { dependency: 'quotes', action: 'inject', fault: { error: { name: 'Error', message: 'no' } } },
      "allowed is a code as 'ECONNRESET'",
    ],
    [404, { dependency: 'qoutes', action: 'reset' }, "No dependency is named 'qoutes'"],
    [409, { dependency: 'no-breaker', action: 'forceOpen' }, 'there is no breaker to control'],
    [413, { dependency: 'x'.repeat(5000), action: 'reset' }, 'At most 4096 bytes'],
  ])('with %i a body that makes no sense: %j', async (status, body, detail) => {
    const { send, spillway } = await site();
    const answer = await send(body);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ status, detail: expect.stringContaining(detail) });
    expect(spillway.snapshot().dependencies[0]?.faults).toEqual([]);
  });

  test('faults where the configuration forbids them', async () => {
    const { order } = await site(() => true, { faults: 'never' });
    const answer = await order('inject', { fault: { status: 500 } });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body).detail).toContain("faults is 'never'");
  });

  test('with 500 when authorize throws, and warns', async () => {
    const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const { order, quotes } = await site(() => {
      throw new Error('session store is down');
    });
    const answer = await order('forceOpen');
    expect(answer.status).toBe(500);
    expect(answer.body).not.toContain('session store');
    expect(warned).toHaveBeenCalledWith(
      'session store is down',
      expect.objectContaining({ type: 'DashboardWarning' }),
    );
    warned.mockRestore();
    expect(quotes.breaker.state).toBe('closed');
  });
});

test('a client that hangs up half way is no fault of ours', async () => {
  const warned = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const seen: IncomingMessage[] = [];
  const { port, quotes } = await site((req) => seen.push(req) > 0);
  const headers = {
    'Content-Type': 'application/json',
    'Sec-Fetch-Site': 'same-origin',
    'Content-Length': 100,
  };
  const sent = request({ host: '127.0.0.1', port, path: '/control', method: 'POST', headers, agent: false });
  sent.on('error', () => undefined).write('{');
  await eventually(() => seen.length > 0);
  sent.destroy();
  await eventually(() => seen[0]?.destroyed === true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
  expect(quotes.breaker.state).toBe('closed');
});

test('what was done stands on the timeline', async () => {
  const { clock, order, port } = await site();
  await order('forceOpen');
  await clock.advance(1000);
  const { readFeed } = await import('../support/site.js');
  const reader = await readFeed(port);
  await reader.until(1);
  const { timeline } = JSON.parse(reader.events[0]?.data ?? '{}');
  expect(timeline).toContainEqual(
    expect.objectContaining({ kind: 'control', text: 'forced the breaker open' }),
  );
  reader.leave();
});
