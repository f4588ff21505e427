import { describe, expect, test } from '@jest/globals';
import { manualClock } from '@spillway/testing';
import { endOf, errorOf, scene } from '../support/scene.js';

const GOOD = [{ status: 200, body: '{"price":3}' }];

describe('a fault injected into a client', () => {
  test('with a status is an answer that never touched the server', async () => {
    const { client, server, spillway, events } = await scene(GOOD);
    const fault = spillway.dependency('quotes').inject({ status: 503 });
    const error = await errorOf(client.get('price').json());
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 503,
      attempts: 3,
      cause: { name: 'HTTPError' },
    });
    expect(server.hits).toHaveLength(0);
    expect(fault.struck).toBe(3);
    expect(endOf({ events })).toMatchObject({ kind: 'server-error', status: 503, sent: 'answered' });
    fault.undo();
    expect(await client.get('price').json()).toEqual({ price: 3 });
    expect(server.hits).toHaveLength(1);
  });

  test("with a status that is the caller's business gives got's HTTPError", async () => {
    const { client, spillway } = await scene(GOOD);
    spillway.dependency('quotes').inject({ status: 404 });
    const error = await errorOf(client.get('price').json());
    expect(error).toMatchObject({ name: 'HTTPError', response: { statusCode: 404 } });
  });

  test.each([
    ['ECONNREFUSED', 'unsent'],
    ['ECONNRESET', 'reset'],
  ])('with %s is a failed connection', async (code, kind) => {
    const { client, server, spillway, events } = await scene(GOOD);
    spillway.dependency('quotes').inject({ error: code });
    expect(await errorOf(client.get('price').json())).toMatchObject({ code: 'ERR_UPSTREAM' });
    expect(endOf({ events })).toMatchObject({ kind });
    expect(server.hits).toHaveLength(0);
  });

  test('with latency asks the server late, in what is left of the attempt', async () => {
    const { client, server, spillway, events } = await scene(GOOD);
    spillway.dependency('quotes').inject({ latency: '60ms' });
    expect(await client.get('price').json()).toEqual({ price: 3 });
    expect(server.hits).toHaveLength(1);
    const end = endOf({ events });
    expect(end?.type === 'attempt.end' && end.durationMs >= 60).toBe(true);
    expect(Number(server.hits[0]?.headers['x-request-budget-ms'])).toBeLessThanOrEqual(2940);
  });

  test('with a status reaches a stream as its failure', async () => {
    const { client, spillway } = await scene(GOOD, { retry: false });
    spillway.dependency('quotes').inject({ status: 500 });
    const failed = new Promise((resolve) => client.stream.get('price').once('error', resolve));
    expect(await failed).toMatchObject({ code: 'ERR_UPSTREAM', status: 502 });
  });

  test('with latency is cut by the timeout of the attempt', async () => {
    const clock = manualClock();
    const policy = { attempt: { timeout: '100ms' }, retry: false } as const;
    const { client, server, spillway, events } = await scene(GOOD, policy, { clock });
    spillway.dependency('quotes').inject({ latency: '10s' });
    const error = errorOf(client.get('price').json());
    await clock.advance(100);
    expect(await error).toMatchObject({ code: 'ERR_UPSTREAM', status: 504 });
    expect(endOf({ events })).toMatchObject({ kind: 'timeout', result: 'failure' });
    expect(server.hits).toHaveLength(0);
  });
});
