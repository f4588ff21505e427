import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { createSpillway } from '@spillway/core';
import { manualClock } from '@spillway/testing';
import got from 'got';
import { inboundCall } from './support/inbound.js';
import { cleanUp, errorOf, scene } from './support/scene.js';

describe('clients(spillway)', () => {
  test('refuses an unknown name, with those there are', async () => {
    const { spillway } = await scene(200);
    const client = clients(spillway) as (name: string) => unknown;
    expect(() => client('qoutes')).toThrow(expect.objectContaining({ code: 'ERR_UNKNOWN_DEPENDENCY' }));
    expect(() => client('qoutes')).toThrow(/quotes/);
  });

  test('refuses a dependency that says nowhere where to send', () => {
    const spillway = createSpillway({ dependencies: { db: {} } });
    cleanUp(() => spillway.close());
    expect(() => clients(spillway)('db')).toThrow(/dependencies\.db\.baseUrl/);
  });

  test('inherits deadline and cancellation of a parent', async () => {
    const clock = manualClock();
    const { spillway, server } = await scene({ stall: true }, {}, { clock });
    const client = clients(spillway, { parent: inboundCall(spillway, {}, 300) })('quotes');
    const failure = errorOf(client.get('v1'));
    await server.waitForHits(1);
    await clock.advance(300);
    expect(await failure).toMatchObject({ code: 'ERR_DEADLINE_EXCEEDED', status: 504 });
  });

  test('finds the ambient call where the application opted into one', async () => {
    const current = { call: undefined as ReturnType<typeof inboundCall> | undefined };
    const context = { current: () => current.call, run: <T>(_call: unknown, work: () => T) => work() };
    const { spillway, server } = await scene(200, {}, { context: context as never });
    const client = clients(spillway)('quotes');
    current.call = inboundCall(spillway, { criticality: 'sheddable' });
    await client.get('v1');
    current.call = undefined;
    await client.get('v1');
    expect(server.hits.map(({ headers }) => headers['x-request-criticality'])).toEqual([
      'sheddable',
      undefined,
    ]);
  });
});

describe('another got', () => {
  test('is used in place of our own, with its defaults', async () => {
    const { spillway, server } = await scene([503, 200]);
    const client = clients(spillway, { got: got.extend({ headers: { 'x-from': 'mine' } }) })('quotes');
    await client.get('v1');
    expect(server.hits.map(({ headers }) => headers['x-from'])).toEqual(['mine', 'mine']);
  });

  test('has its own retries and redirects switched off', async () => {
    const { spillway, server } = await scene({ status: 500 }, { retry: false });
    const eager = got.extend({
      retry: { limit: 5, calculateDelay: () => 1, statusCodes: [500] },
      followRedirect: true,
    });
    const error = await errorOf(clients(spillway, { got: eager })('quotes').get('v1'));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', attempts: 1 });
    expect(server.count()).toBe(1);
  });

  test('that is none is refused', async () => {
    const { spillway } = await scene(200);
    expect(() => clients(spillway, { got: {} as never })).toThrow(/'got' is an instance of got/);
  });
});

test("got's own defaults retry nothing inside our loop", async () => {
  const { client, server } = await scene(429, {
    retry: { attempts: 4, backoff: { base: '1ms' }, budget: false },
  });
  expect(await errorOf(client.get('v1'))).toMatchObject({ code: 'ERR_UPSTREAM', attempts: 4 });
  expect(server.count()).toBe(4);
});
