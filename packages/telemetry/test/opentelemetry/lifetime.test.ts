import { describe, expect, test } from '@jest/globals';
import { type Context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { FanOut, HeaderHooks, type Observer, systemClock } from '@spillway/core';
import { openTelemetry } from '@spillway/telemetry/opentelemetry';
import fc from 'fast-check';
import { traced } from './traced.js';

/** A tracer that counts how often each of its spans ends. */
function countingTracer(): { tracer: Tracer; ends: number[] } {
  const ends: number[] = [];
  const startSpan = (_name: string, _options?: object, _parent?: Context): Span => {
    const index = ends.push(0) - 1;
    const inner = trace.wrapSpanContext({ traceId: '', spanId: '', traceFlags: 0 });
    return Object.assign(inner, {
      end: () => {
        ends[index] = (ends[index] ?? 0) + 1;
      },
    });
  };
  return { tracer: { startSpan } as unknown as Tracer, ends };
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

describe('a cancelled operation ends its spans once', () => {
  test('when its attempt was under way', async () => {
    const { client, server, exporter, operations, attempts } = await traced({ stall: true });
    const controller = new AbortController();
    const answer = client.get('v1', { signal: controller.signal });
    await server.waitForHits(1);
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    await delay(20);
    expect(exporter.getFinishedSpans()).toHaveLength(2);
    expect(attempts()[0]?.attributes).toMatchObject({ 'spillway.kind': 'cancelled' });
    expect(operations()[0]?.attributes).toMatchObject({
      'spillway.outcome': 'cancelled',
      'spillway.stopped': 'cancelled',
    });
    for (const { status, attributes } of exporter.getFinishedSpans()) {
      expect(status.code).toBe(SpanStatusCode.UNSET);
      expect(attributes).not.toHaveProperty('error.type');
    }
  });

  test('when it slept between two attempts', async () => {
    const { client, events, exporter, operations, attempts } = await traced(503, {
      policy: { retry: { attempts: 3, backoff: { base: '1s', jitter: 'none' }, budget: false } },
    });
    const controller = new AbortController();
    const answer = client.get('v1', { signal: controller.signal });
    while (!events.some(({ type }) => type === 'retry.scheduled')) await delay(2);
    controller.abort(new Error('enough'));
    await expect(answer).rejects.toThrow('enough');
    expect(exporter.getFinishedSpans()).toHaveLength(2);
    expect(attempts()[0]?.attributes).toMatchObject({ 'error.type': '503' });
    expect(operations()[0]?.attributes).toMatchObject({ 'spillway.outcome': 'cancelled' });
  });

  test('before it began', async () => {
    const { client, exporter } = await traced(200);
    await expect(client.get('v1', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    );
    expect(exporter.getFinishedSpans()).toHaveLength(1);
  });
});

describe('a span ends once', () => {
  test('when the work of its attempt comes back long after both are over', async () => {
    const { spillway, exporter } = await traced(200, {
      policy: { attempt: { timeout: '20ms', min: '5ms' } },
    });
    const answer = spillway.dependency('quotes').call(() => delay(60));
    await expect(answer).rejects.toMatchObject({ code: 'ERR_UPSTREAM' });
    expect(exporter.getFinishedSpans()).toHaveLength(2);
    await delay(60);
    expect(exporter.getFinishedSpans()).toHaveLength(2);
  });

  test('when tracing stops before it', async () => {
    const { client, server, exporter, stop } = await traced({ latency: 40 });
    const answer = client.get('v1');
    await server.waitForHits(1);
    stop();
    expect(exporter.getFinishedSpans()).toHaveLength(2);
    await answer;
    expect(exporter.getFinishedSpans()).toHaveLength(2);
  });

  test('and an operation that began before tracing did has none', async () => {
    const { client, server, exporter, stop, spillway } = await traced([{ latency: 40, status: 503 }, 200]);
    stop();
    const answer = client.get('v1');
    await server.waitForHits(1);
    const again = openTelemetry(spillway);
    await answer;
    again();
    expect(exporter.getFinishedSpans()).toEqual([]);
    expect(server.hits.map(({ headers }) => headers['traceparent'])).toEqual([undefined, undefined]);
  });

  test('after spillway.close(), with what was under way', async () => {
    const { client, server, exporter, spillway } = await traced({ latency: 30 });
    const answer = client.get('v1').catch(() => 'closed');
    await server.waitForHits(1);
    spillway.close();
    await answer;
    expect(exporter.getFinishedSpans()).toHaveLength(2);
  });

  test('whatever order the events come in', () => {
    const types = fc.constantFrom('operation.start', 'attempt.start', 'attempt.end', 'operation.end');
    const event = fc.record({
      type: types,
      id: fc.integer({ min: 1, max: 2 }),
      attempt: fc.integer({ min: 1, max: 2 }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { tracer, ends } = countingTracer();
        const all = new FanOut();
        const spillway = {
          events: all,
          headerHooks: new HeaderHooks(all, systemClock()),
          subscribe: (observer: Observer) => all.subscribe(observer),
        };
        const stop = openTelemetry(spillway as never, { tracer, meter: false });
        for (const each of events) {
          all.emit({ ...each, dependency: 'd', operation: 'o', subject: {} } as never);
        }
        expect(all.failures).toBe(0);
        expect(ends.every((count) => count <= 1)).toBe(true);
        stop();
        expect(ends.every((count) => count === 1)).toBe(true);
      }),
      { numRuns: 1000, seed: 20_261_130 },
    );
  });
});

describe('a tracer that fails', () => {
  test('is counted, and the request goes its way', async () => {
    const tracer = {
      startSpan: () => {
        throw new Error('no spans today');
      },
    } as unknown as Tracer;
    const { client, spillway, server } = await traced(200, { telemetry: { tracer } });
    expect((await client.get('v1')).statusCode).toBe(200);
    expect(server.count()).toBe(1);
    expect(spillway.snapshot().observerFailures).toBe(1);
  });
});
