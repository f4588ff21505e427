import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { type FlakyServer, manualClock } from '@spillway/testing';
import { inboundCall } from '../support/inbound.js';
import { errorOf, eventually, scene, serve, wire } from '../support/scene.js';

const OURS = ['x-request-budget-ms', 'x-request-attempt', 'x-request-criticality', 'idempotency-key'];

const budgetsOf = ({ hits }: FlakyServer) => hits.map(({ headers }) => headers['x-request-budget-ms']);

describe('X-Request-Budget-Ms', () => {
  const backoff = { base: '50.5ms', factor: 1, jitter: 'none' } as const;

  test('is the time of the attempt, set anew on each', async () => {
    const clock = manualClock();
    const policy = {
      deadline: '1s',
      attempt: { timeout: '900ms' },
      retry: { backoff, budget: false },
    } as const;
    const { client, server } = await scene([503, 503, 200], policy, { clock });
    const response = client.get('v1');
    for (let attempt = 1; attempt < 3; attempt++) {
      await server.waitForHits(attempt);
      await eventually(() => clock.pending === 1);
      await clock.advance(50.5);
    }
    await response;
    expect(budgetsOf(server)).toEqual(['900', '900', '899']);
  });

  test('is what is left of the request where that is less, rounded down', async () => {
    const clock = manualClock();
    const { spillway, server } = await scene([503, 200], { retry: { backoff, budget: false } }, { clock });
    const response = clients(spillway, { parent: inboundCall(spillway, {}, 400) })('quotes').get('v1');
    await server.waitForHits(1);
    await eventually(() => clock.pending === 1);
    await clock.advance(50.5);
    await response;
    expect(budgetsOf(server)).toEqual(['400', '349']);
  });

  test('is never 0', async () => {
    const clock = manualClock();
    const { spillway, server } = await scene(200, {}, { clock });
    await clients(spillway, { parent: inboundCall(spillway, {}, 0.4) })('quotes').get('v1');
    expect(budgetsOf(server)).toEqual(['1']);
  });

  test('is not sent when nothing bounds the attempt', async () => {
    const { client, server } = await scene(200, { deadline: false, attempt: { timeout: false } });
    await client.get('v1', { headers: { 'x-request-budget-ms': '7' } });
    expect(server.hits[0]?.headers).not.toHaveProperty('x-request-budget-ms');
  });

  test('and a call whose time is up sends nothing', async () => {
    const { spillway, server } = await scene(200);
    const client = clients(spillway, { parent: inboundCall(spillway, {}, -1) })('quotes');
    expect(await errorOf(client.get('v1'))).toMatchObject({ code: 'ERR_DEADLINE_EXCEEDED', sent: 'no' });
    expect(server.count()).toBe(0);
  });
});

test('X-Request-Attempt counts from 1, whatever the user wrote', async () => {
  const { client, server } = await scene([503, 503, 200]);
  await client.get('v1', { headers: { 'X-Request-Attempt': '9' } });
  expect(server.hits.map(({ headers }) => headers['x-request-attempt'])).toEqual(['1', '2', '3']);
});

describe('X-Request-Criticality', () => {
  test("is the inbound request's", async () => {
    const { spillway, server } = await scene(200);
    await clients(spillway, { parent: inboundCall(spillway, { criticality: 'sheddable' }) })('quotes').get(
      'v1',
    );
    expect(server.hits[0]?.headers['x-request-criticality']).toBe('sheddable');
  });

  test('is not sent outside a request', async () => {
    const { client, server } = await scene(200);
    await client.get('v1');
    expect(server.hits[0]?.headers).not.toHaveProperty('x-request-criticality');
  });
});

describe('propagate: false', () => {
  test('keeps our headers from a third party, but for a key that was asked for', async () => {
    const { spillway, server } = await scene(200, { propagate: false });
    const client = clients(spillway, { parent: inboundCall(spillway) })('quotes');
    await client.post('v1', { idempotencyKey: 'k' });
    const { headers } = server.hits[0] as { headers: Record<string, unknown> };
    expect(OURS.filter((name) => name in headers)).toEqual(['idempotency-key']);
  });

  test.each([
    ['x-should-retry', 'false'],
    ['x-envoy-overloaded', 'true'],
  ])('%s of a third party is not believed', async (name, value) => {
    const { client, server } = await scene([{ status: 503, headers: { [name]: value } }, 200], {
      propagate: false,
    });
    await client.get('v1');
    expect(server.count()).toBe(2);
  });
});

describe('an answer that says no to retries stops the loop', () => {
  test.each([
    ['x-should-retry', 'false'],
    ['x-should-retry', ' False '],
    ['x-envoy-overloaded', 'true'],
  ])('%s: %s', async (name, value) => {
    const { client, server } = await scene([{ status: 503, headers: { [name]: value } }, 200]);
    expect(await errorOf(client.get('v1'))).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'should-retry' });
    expect(server.count()).toBe(1);
  });

  test('x-should-retry: true does not', async () => {
    const { client, server } = await scene([{ status: 503, headers: { 'x-should-retry': 'true' } }, 200]);
    await client.get('v1');
    expect(server.count()).toBe(2);
  });

  test('it is remembered for the answer to our own caller', async () => {
    const { spillway } = await scene({ status: 503, headers: { 'x-should-retry': 'false' } });
    const parent = inboundCall(spillway);
    await errorOf(clients(spillway, { parent })('quotes').get('v1'));
    expect(parent.toldNotToRetry).toBe(true);
  });
});

describe('Retry-After', () => {
  const ms = (error: { retryAfterMs?: number }) => error.retryAfterMs;

  test.each([
    ['429', 429, '7', 7000, 503],
    ['503', 503, '7', 7000, 503],
    ['500', 500, '7', 7000, 502],
    ['408', 408, '7', 7000, 502],
  ])('of a %s is surfaced when it is too long to wait for', async (_name, status, value, expected, ours) => {
    const { client } = await scene({ status, headers: { 'retry-after': value } }, { deadline: '1s' });
    const error = await errorOf(client.get('v1'));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'retry-after', status: ours });
    expect(ms(error)).toBe(expected);
  });

  test.each([
    ['IMF-fixdate', 'Thu, 01 Jan 2026 00:01:00 GMT'],
    ['RFC 850', 'Thursday, 01-Jan-26 00:01:00 GMT'],
    ['asctime', 'Thu Jan  1 00:01:00 2026'],
  ])('as a date in the form of %s is read against the wall clock', async (_name, date) => {
    const clock = manualClock();
    const { client } = await scene({ status: 503, headers: { 'retry-after': date } }, {}, { clock });
    const error = await errorOf(client.get('v1'));
    expect(error.stopped).toBe('retry-after');
    expect(ms(error)).toBe(60_000);
  });

  test.each(['soon', '12abc', '1e3', 'Thu, 99 Foo'])(
    '%j is no Retry-After: the ordinary backoff applies',
    async (value) => {
      const { client, server } = await scene([{ status: 503, headers: { 'retry-after': value } }, 200]);
      await client.get('v1');
      expect(server.count()).toBe(2);
    },
  );

  test('of a good answer means nothing', async () => {
    const { client, server } = await scene({ status: 200, headers: { 'retry-after': '100' } });
    await client.get('v1');
    expect(server.count()).toBe(1);
  });
});

describe('a redirect', () => {
  test('is an answer unless it was asked to be followed', async () => {
    const { client, server } = await scene({ status: 302, headers: { location: '/v2' } });
    expect((await client.get('v1')).statusCode).toBe(302);
    expect(server.count()).toBe(1);
  });

  test('is followed within the origin when asked for, with our headers on each hop', async () => {
    const { client, server } = await scene([{ status: 302, headers: { location: '/v2' } }, 200]);
    expect((await client.get('v1', { followRedirect: true })).statusCode).toBe(200);
    expect(server.hits.map(({ path, headers }) => [path, headers['x-request-attempt']])).toEqual([
      ['/v1', '1'],
      ['/v2', '1'],
    ]);
  });

  test('to another origin is not followed', async () => {
    const other = await scene(200);
    const { client, server } = await scene(
      { status: 302, headers: { location: `${other.server.url}/v2` } },
      { client: { followRedirect: true } },
    );
    expect((await client.get('v1')).statusCode).toBe(302);
    expect([server.count(), other.server.count()]).toEqual([1, 0]);
  });

  test('to no URL is an answer', async () => {
    const { client } = await scene(
      { status: 302, headers: { location: 'http://' } },
      { client: { followRedirect: true } },
    );
    expect((await client.get('v1')).statusCode).toBe(302);
  });

  test('that a function lets go elsewhere takes none of our headers along', async () => {
    const other = await scene(200);
    const { client } = await scene({ status: 307, headers: { location: `${other.server.url}/v2` } });
    await client.post('v1', { followRedirect: () => true, idempotencyKey: 'k', body: 'x' });
    const { headers, body } = other.server.hits[0] as { headers: Record<string, unknown>; body: string };
    expect(body).toBe('x');
    expect(OURS.filter((name) => name in headers)).toEqual([]);
  });

  test('that never ends is an answer that the caller did not want', async () => {
    const { client, events } = await scene({ status: 302, headers: { location: '/v1' } });
    const error = await errorOf(client.get('v1', { followRedirect: true, maxRedirects: 3 }));
    expect(error.name).toBe('MaxRedirectsError');
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({ kind: 'answer' });
  });
});

test('without a base path a request goes to the root', async () => {
  const seen: (string | undefined)[] = [];
  const { url } = await serve((request, response) => {
    seen.push(request.url);
    response.end();
  });
  const { client } = wire(`${url}/api`);
  await client.get('');
  await client.get('a');
  await client.get('?x=1');
  expect(seen).toEqual(['/api', '/api/a', '/api?x=1']);
});
