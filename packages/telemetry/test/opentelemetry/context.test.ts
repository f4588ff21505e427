import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { context, propagation, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { expressSpillway } from '@spillway/express';
import express from 'express';
import { cleanUp, parentOf, sdk, type Traced, traced } from './traced.js';

const REMOTE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** A service in front of the traced dependency; answers its URL. */
async function frontOf({ spillway }: Traced): Promise<string> {
  const app = express();
  app.use(expressSpillway(spillway));
  app.get('/', async (req, res) => {
    res.json(
      await req.spillway
        .client('quotes' as never)
        .get('v1')
        .json(),
    );
  });
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', () => resolve(listening));
  });
  cleanUp(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('the parent of an operation', () => {
  test('is the span that is active where it is called', async () => {
    const { client, provider, operations } = await traced(200);
    const outer = provider.getTracer('app').startSpan('checkout');
    await context.with(trace.setSpan(context.active(), outer), () => client.get('v1'));
    outer.end();
    expect(operations()[0]?.parentSpanContext?.spanId).toBe(outer.spanContext().spanId);
  });

  test('is its own for each of two that run at once', async () => {
    const { client, provider, operations } = await traced([{ latency: 20 }, { latency: 5 }]);
    const tracer = provider.getTracer('app');
    const outers = ['a', 'b'].map((name) => tracer.startSpan(name));
    await Promise.all(
      outers.map((outer) => context.with(trace.setSpan(context.active(), outer), () => client.get('v1'))),
    );
    const parents = operations().map(({ parentSpanContext }) => parentSpanContext?.spanId);
    expect(parents.toSorted()).toEqual(outers.map((outer) => outer.spanContext().spanId).toSorted());
  });

  test('is nobody where there is none', async () => {
    const { client, operations } = await traced(200);
    await client.get('v1');
    expect(operations()[0]?.parentSpanContext).toBeUndefined();
  });

  test.each([true, false])(
    'is what the inbound request brought along, where nothing is active (a registered SDK: %s)',
    async (registered) => {
      const tracer = sdk(registered);
      const telemetry = { tracer: tracer.provider.getTracer('t') };
      const scene = await traced(200, { tracer, telemetry });
      await fetch(await frontOf(scene), { headers: { traceparent: REMOTE, tracestate: 'vendor=1' } });
      const [operation] = scene.operations() as [ReadableSpan];
      expect(operation.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
      expect(operation.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
      expect(scene.server.hits[0]?.headers).toMatchObject({
        traceparent: parentOf(scene.attempts()[0] as ReadableSpan),
        tracestate: 'vendor=1',
      });
    },
  );

  test('is that of a version to come, which may have more', async () => {
    const tracer = sdk(false);
    const scene = await traced(200, { tracer, telemetry: { tracer: tracer.provider.getTracer('t') } });
    await fetch(await frontOf(scene), { headers: { traceparent: `${REMOTE.replace(/^00/, '01')}-more` } });
    expect(scene.operations()[0]?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  });

  test.each([
    'nonsense',
    `${REMOTE}-more`,
    REMOTE.replace(/^00/, 'ff'),
    `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
  ])('is nobody for a malformed traceparent: %s', async (traceparent) => {
    const tracer = sdk(false);
    const scene = await traced(200, { tracer, telemetry: { tracer: tracer.provider.getTracer('t') } });
    await fetch(await frontOf(scene), { headers: { traceparent } });
    expect(scene.operations()[0]?.parentSpanContext).toBeUndefined();
  });
});

describe('the active span', () => {
  const activeId = () => trace.getActiveSpan()?.spanContext().spanId;
  const idsOf = (spans: readonly ReadableSpan[]) => spans.map((span) => span.spanContext().spanId);

  test('inside the work of an attempt is that attempt’s, on a retry too, and before and after it the caller’s', async () => {
    const { spillway, provider, attempts } = await traced(200);
    const outer = provider.getTracer('app').startSpan('checkout');
    const inside: unknown[] = [];
    await context.with(trace.setSpan(context.active(), outer), async () => {
      const work = async () => {
        inside.push(activeId());
        await Promise.resolve();
        if (inside.length === 1) throw new Error('once');
      };
      const done = spillway.dependency('quotes').call(work, { idempotent: true });
      expect(activeId()).toBe(outer.spanContext().spanId);
      await done;
      expect(activeId()).toBe(outer.spanContext().spanId);
    });
    expect(inside).toEqual(idsOf(attempts()));
    expect(inside).toHaveLength(2);
  });

  test('of a request is the attempt’s while it is made', async () => {
    const { client, attempts } = await traced([503, 200]);
    const inside: unknown[] = [];
    const body = () => {
      inside.push(activeId());
      return 'text';
    };
    await client.put('v1', { body } as never);
    expect(inside).toEqual(idsOf(attempts()));
  });
});

describe('the context that goes out', () => {
  test('is written as W3C without a registered propagator, too', async () => {
    const tracer = sdk(false);
    const { client, server, attempts } = await traced([503, 200], {
      tracer,
      telemetry: { tracer: tracer.provider.getTracer('t') },
    });
    await client.get('v1', { headers: { tracestate: 'stale=1' } });
    expect(server.hits.map(({ headers }) => headers['traceparent'])).toEqual(attempts().map(parentOf));
    expect(server.hits[0]?.headers).not.toHaveProperty('tracestate');
  });

  test('brings baggage along', async () => {
    const { client, server } = await traced(200);
    const baggage = propagation.createBaggage({ tenant: { value: 'acme' } });
    await context.with(propagation.setBaggage(context.active(), baggage), () => client.get('v1'));
    expect(server.hits[0]?.headers['baggage']).toBe('tenant=acme');
  });

  test('is the same for a stream', async () => {
    const { client, server, attempts } = await traced([503, 200]);
    for await (const chunk of client.stream.get('v1')) expect(chunk).toBeDefined();
    expect(server.hits.map(({ headers }) => headers['traceparent'])).toEqual(attempts().map(parentOf));
  });

  test('stays away from dependencies with propagate: false', async () => {
    const { client, server, attempts } = await traced(200, { policy: { propagate: false } });
    await client.get('v1');
    expect(attempts()).toHaveLength(1);
    expect(server.hits[0]?.headers).not.toHaveProperty('traceparent');
  });

  test('is none with `tracer: false`', async () => {
    const { client, server, exporter } = await traced(200, { telemetry: { tracer: false } });
    await client.get('v1');
    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(server.hits[0]?.headers).not.toHaveProperty('traceparent');
  });
});
