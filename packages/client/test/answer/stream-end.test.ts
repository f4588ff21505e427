import { getEventListeners, once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { inboundCall } from '../support/inbound.js';
import { delay, eventually, scene } from '../support/scene.js';
import { failureOf } from '../support/stream-failure.js';

describe('a stream that nobody wants any more', () => {
  test('destroyed before the headers, ends its request', async () => {
    const { client, server, events } = await scene({ stall: true });
    const stream = client.stream('v1');
    await server.waitForHits(1);
    stream.destroy();
    await eventually(() => server.connections.open === 0);
    expect(events.find(({ type }) => type === 'operation.end')).toMatchObject({ outcome: 'cancelled' });
  });

  test('destroyed at once, sends nothing', async () => {
    const { client, server } = await scene(200);
    client.stream('v1').destroy();
    await delay(30);
    expect(server.count()).toBe(0);
  });

  test.each([
    ['before the headers', { stall: true } as const],
    ['after them', { stallBody: true, body: 'x'.repeat(99) } as const],
  ])('aborted %s, ends with the reason of its signal', async (_name, script) => {
    const { client, server } = await scene(script);
    const controller = new AbortController();
    const stream = client.stream('v1', { signal: controller.signal });
    const failure = failureOf(stream);
    await server.waitForHits(1);
    await delay(20);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await failure).toBe(reason);
    await eventually(() => server.connections.open === 0);
  });

  test('shares one listener on its signal with all that follow it', async () => {
    const { client, server } = await scene({ stallBody: true, body: 'x'.repeat(99) });
    const controller = new AbortController();
    const streams = Array.from({ length: 20 }, () => client.stream('v1', { signal: controller.signal }));
    const failures = Promise.all(streams.map(failureOf));
    await server.waitForHits(20);
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(new Set(await failures)).toEqual(new Set([reason]));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  test('aborted before it began, sends nothing', async () => {
    const { client, server } = await scene(200);
    expect(
      await failureOf(client.stream('v1', { signal: AbortSignal.abort(new Error('enough')) })),
    ).toMatchObject({ message: 'enough' });
    expect(server.count()).toBe(0);
  });

  test('of a request whose client went away, is closed in the same turn, after the headers too', async () => {
    const { spillway, server } = await scene({ stallBody: true, body: 'x'.repeat(99) });
    const parent = inboundCall(spillway);
    const stream = clients(spillway, { parent })('quotes').stream('v1');
    await once(stream, 'response');
    const failure = failureOf(stream);
    parent.cancel(new Error('gone'));
    expect(stream.destroyed).toBe(true);
    expect((await failure).message).toBe('gone');
    await eventually(() => server.connections.open === 0);
    expect(parent.listenerCount).toBe(0);
  });

  test('of a request that was cancelled before, sends nothing', async () => {
    const { spillway, server } = await scene(200);
    const parent = inboundCall(spillway);
    parent.cancel(new Error('gone'));
    expect((await failureOf(clients(spillway, { parent })('quotes').stream('v1'))).message).toBe('gone');
    expect(server.count()).toBe(0);
  });

  test('leaves nothing behind once its body has ended', async () => {
    const { spillway } = await scene({ body: 'ok' });
    const parent = inboundCall(spillway);
    const controller = new AbortController();
    const stream = clients(spillway, { parent })('quotes').stream('v1', { signal: controller.signal });
    expect(await text(stream)).toBe('ok');
    await eventually(() => parent.listenerCount === 0);
    controller.abort();
    expect(stream.errored).toBe(null);
  });
});
