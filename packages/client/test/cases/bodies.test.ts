import { Buffer } from 'node:buffer';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { cleanUp, errorOf, scene, serve, wire } from '../support/scene.js';

const TEXT = 'a body that is sent whole';

describe('a body', () => {
  test('C-041 that can be read once is sent once', async () => {
    const form = new FormData();
    form.set('text', TEXT);
    for (const body of [Readable.from([TEXT]), form]) {
      const { client, server } = await scene([503, 200]);
      const error = await errorOf(client.put('a', { body: body as Readable }));
      expect(error).toMatchObject({ code: 'ERR_UPSTREAM', status: 503, stopped: 'body-not-replayable' });
      expect(error.cause.response.statusCode).toBe(503);
      expect(server.hits).toHaveLength(1);
      expect(server.hits[0]?.body).toContain(TEXT);
      expect(server.hits[0]?.headers['content-length']).not.toBe('0');
    }
  }, 30_000);

  test('C-042 is made anew for every attempt by a function', async () => {
    const { client, server } = await scene([503, 503, 200]);
    const made: Readable[] = [];
    const body = () => {
      const stream = Readable.from([TEXT]);
      made.push(stream);
      return stream;
    };
    expect((await client.put('a', { body })).statusCode).toBe(200);
    expect(server.hits.map((hit) => hit.body)).toEqual([TEXT, TEXT, TEXT]);
    expect(made.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
  }, 30_000);

  test('C-043 of text or bytes is sent again in full', async () => {
    for (const options of [{ body: TEXT }, { body: Buffer.from(TEXT) }, { json: { text: TEXT } }]) {
      const { client, server } = await scene([500, 500, 200]);
      expect((await client.put('a', options)).statusCode).toBe(200);
      const bodies = server.hits.map(({ body, headers }) => [body, headers['content-length']]);
      expect(bodies).toHaveLength(3);
      expect(bodies[0]?.[0]).toContain(TEXT);
      expect(Number(bodies[0]?.[1])).toBe(bodies[0]?.[0]?.length);
      expect([bodies[1], bodies[2]]).toEqual([bodies[0], bodies[0]]);
    }
  }, 30_000);

  test('C-044 of a POST is not sent twice after a reset, unless a key makes that harmless', async () => {
    const script = [{ reset: 'after-body' }, 200] as const;
    const bare = await scene(script);
    const error = await errorOf(bare.client.post('a', { body: TEXT }));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'not-idempotent', sent: 'maybe' });
    expect(bare.server.hits.map(({ body }) => body)).toEqual([TEXT]);

    const keyed = await scene(script);
    const answer = await keyed.client.post('a', { body: TEXT, idempotencyKey: 'order-1' });
    expect(answer.statusCode).toBe(200);
    const keys = keyed.server.hits.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(['"order-1"', '"order-1"']);

    const { url, server } = await serve(() => undefined);
    await new Promise((resolve) => server.close(resolve));
    const refused = await errorOf(wire(url).client.post('a', { body: TEXT }));
    expect(refused).toMatchObject({ status: 503, sent: 'no', attempts: 3, stopped: 'attempts' });
  }, 30_000);

  test('C-046 of a discarded answer neither keeps a connection nor is read to its end', async () => {
    const open = new Set<Socket>();
    let peak = 0;
    const opened = (message: unknown) => {
      open.add((message as { socket: Socket }).socket);
      peak = Math.max(peak, [...open].filter(({ destroyed }) => !destroyed).length);
    };
    subscribe('net.client.socket', opened);
    cleanUp(() => unsubscribe('net.client.socket', opened));
    const long = { status: 503, body: 'x'.repeat(5_000_000), drip: { every: 1, bytes: 65_536 } };
    const { client, server } = await scene([long, long, long, 200], {
      retry: { attempts: 4, backoff: { base: '1ms', cap: '1ms' }, budget: false },
      bulkhead: { concurrent: 1, queue: 0 },
    });
    expect((await client.get('a')).statusCode).toBe(200);
    expect(server.hits).toHaveLength(4);
    expect(server.hits.map(({ answeredAt }) => answeredAt !== undefined)).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect([open.size > 0, peak]).toEqual([true, 1]);
  }, 30_000);
});
