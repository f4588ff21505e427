import { describe, expect, test } from '@jest/globals';
import { SpanStatusCode } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { parentOf, traced } from './traced.js';

const names = (span: ReadableSpan | undefined) => span?.events.map(({ name }) => name);

describe('an operation of two attempts', () => {
  test('is one INTERNAL span and, under it, a CLIENT span for each attempt', async () => {
    const { client, operations, attempts } = await traced([503, 200]);
    await client.get('v1/ACME');
    expect(operations().map(({ name }) => name)).toEqual(['quotes GET']);
    expect(attempts().map(({ name }) => name)).toEqual(['GET', 'GET']);
    const { traceId, spanId } = (operations()[0] as ReadableSpan).spanContext();
    for (const attempt of attempts()) {
      expect(attempt.spanContext().traceId).toBe(traceId);
      expect(attempt.parentSpanContext?.spanId).toBe(spanId);
    }
  });

  test('names method, server and status of each attempt, and counts resends from the second on', async () => {
    const { client, server, attempts } = await traced([503, 200]);
    await client.get('v1/ACME');
    const [first, second] = attempts() as [ReadableSpan, ReadableSpan];
    const common = {
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'server.port': server.port,
      'spillway.dependency': 'quotes',
    };
    expect(first.attributes).toEqual({
      ...common,
      'spillway.attempt': 1,
      'http.response.status_code': 503,
      'error.type': '503',
      'spillway.kind': 'server-error',
      'spillway.result': 'failure',
      'spillway.sent': 'answered',
    });
    expect(second.attributes).toEqual({
      ...common,
      'spillway.attempt': 2,
      'http.request.resend_count': 1,
      'http.response.status_code': 200,
      'spillway.kind': 'answer',
      'spillway.result': 'success',
      'spillway.sent': 'answered',
    });
    expect([first.status.code, second.status.code]).toEqual([SpanStatusCode.ERROR, SpanStatusCode.UNSET]);
  });

  test('tells of its retry, with reason and backoff', async () => {
    const { client, operations } = await traced([503, 200]);
    await client.get('v1/ACME');
    expect(names(operations()[0])).toEqual(['retry.scheduled']);
    expect(operations()[0]?.events[0]?.attributes).toMatchObject({
      'spillway.attempt': 2,
      'spillway.reason': 'server-error',
      'spillway.backoff_ms': 2,
    });
  });

  test('ends as its user saw it', async () => {
    const { client, operations } = await traced([503, 200]);
    await client.get('v1/ACME');
    expect(operations()[0]?.attributes).toMatchObject({
      'spillway.dependency': 'quotes',
      'spillway.operation': 'GET',
      'spillway.outcome': 'success',
      'spillway.attempts': 2,
    });
    expect(operations()[0]?.status.code).toBe(SpanStatusCode.UNSET);
  });

  test('sends the context of each attempt’s own span', async () => {
    const { client, server, attempts } = await traced([503, 200]);
    await client.get('v1/ACME');
    expect(server.hits.map(({ headers }) => headers['traceparent'])).toEqual(attempts().map(parentOf));
  });
});

describe('a failed operation', () => {
  test('is told from its failed attempts', async () => {
    const { client, operations, attempts } = await traced(503);
    await expect(client.get('v1')).rejects.toThrow('quotes failed');
    expect(operations()[0]?.attributes).toMatchObject({
      'spillway.outcome': 'failed',
      'spillway.attempts': 3,
      'spillway.stopped': 'attempts',
      'spillway.code': 'ERR_UPSTREAM',
      'error.type': 'ERR_UPSTREAM',
    });
    expect(operations()[0]?.status.code).toBe(SpanStatusCode.ERROR);
    expect(names(operations()[0])).toEqual(['retry.scheduled', 'retry.scheduled', 'retry.stopped']);
    expect(attempts().map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([
      undefined,
      1,
      2,
    ]);
  });

  test('says what became of an attempt that got no answer', async () => {
    const { client, attempts } = await traced([{ reset: 'after-body' }, { stall: true }], {
      policy: { attempt: { timeout: '60ms' } },
    });
    await expect(client.get('v1')).rejects.toThrow('quotes failed');
    expect(attempts().map(({ attributes }) => attributes['error.type'])).toEqual([
      'reset',
      'timeout',
      'timeout',
    ]);
    for (const { attributes } of attempts())
      expect(attributes).not.toHaveProperty('http.response.status_code');
  });

  test('with an answer that is none of the dependency’s failures is an error of the attempt alone', async () => {
    const { client, operations, attempts } = await traced(404);
    await expect(client.get('v1')).rejects.toThrow('404');
    expect(attempts()[0]?.attributes).toMatchObject({ 'error.type': '404', 'spillway.result': 'success' });
    expect(operations()[0]?.attributes).toMatchObject({ 'spillway.outcome': 'success' });
    expect(operations()[0]?.status.code).toBe(SpanStatusCode.UNSET);
  });
});

describe('refusals and what stands in for them', () => {
  test('an open breaker refuses in an operation without attempts', async () => {
    const { client, spillway, operations, attempts } = await traced(200, { policy: { breaker: {} } });
    spillway.dependency('quotes').breaker.forceOpen();
    await expect(client.get('v1')).rejects.toThrow('is open');
    expect(attempts()).toEqual([]);
    expect(operations()[0]?.attributes).toMatchObject({
      'spillway.outcome': 'refused',
      'spillway.attempts': 0,
      'error.type': 'ERR_BREAKER_OPEN',
    });
    expect(operations()[0]?.events).toMatchObject([
      {
        name: 'breaker.refused',
        attributes: { 'spillway.state': 'forced-open', 'spillway.observed': false },
      },
    ]);
  });

  test('a full bulkhead, too', async () => {
    const { client, operations } = await traced([{ latency: 50 }, 200], {
      policy: { bulkhead: { concurrent: 1, queue: 0, wait: 0 } },
    });
    const first = client.get('v1');
    await expect(client.get('v1')).rejects.toThrow('taken');
    await first;
    expect(operations()[0]?.events).toMatchObject([
      { name: 'bulkhead.refused', attributes: { 'spillway.reason': 'full' } },
    ]);
    expect(operations()[0]?.attributes['error.type']).toBe('ERR_BULKHEAD_FULL');
  });

  test('a budget that has nothing left ends the retries', async () => {
    const { client, operations } = await traced(503, {
      policy: { retry: { ...BUDGETLESS, attempts: 3 } },
    });
    await expect(client.get('v1')).rejects.toThrow('quotes failed');
    expect(names(operations()[0])).toEqual(['budget.refused', 'retry.stopped']);
    expect(operations()[0]?.attributes['spillway.stopped']).toBe('budget');
  });

  test('a fallback is told, and the operation is no error', async () => {
    const { client, operations } = await traced(500);
    await client.get('v1', { fallback: () => ({ price: null }) });
    expect(names(operations()[0])?.at(-1)).toBe('fallback.used');
    expect(operations()[0]?.attributes).toMatchObject({ 'spillway.outcome': 'degraded' });
    expect(operations()[0]?.status.code).toBe(SpanStatusCode.UNSET);
  });
});

const BUDGETLESS = {
  backoff: { base: '1ms' },
  budget: { ratio: 0.01, minPerSecond: 0, window: '10s' },
} as const;

describe('what spans show', () => {
  const secretive = { headers: { authorization: 'Bearer hunter2' }, json: { card: 'hunter2' } };

  test('is no key, header, body, query or path', async () => {
    const { client, exporter } = await traced([503, 201]);
    await client.post('v1/users/hunter2?token=hunter2', { ...secretive, idempotencyKey: 'hunter2' });
    expect(exporter.getFinishedSpans()).toHaveLength(3);
    for (const { name, attributes, events, status } of exporter.getFinishedSpans()) {
      expect(JSON.stringify({ name, attributes, events, status })).not.toContain('hunter2');
    }
  });

  test('is, when asked, the URL without query and credentials', async () => {
    const { client, server, attempts } = await traced(200, { telemetry: { url: true } });
    await client.get('v1/users/7?token=hunter2');
    expect(attempts()[0]?.attributes['url.full']).toBe(`${server.url}/v1/users/7`);
  });

  test('is a bounded name, whatever the method', async () => {
    const { client, operations, attempts } = await traced(200);
    await client('v1', { method: 'LINK' });
    expect([operations()[0]?.name, attempts()[0]?.name]).toEqual(['quotes HTTP', 'HTTP']);
    expect(attempts()[0]?.attributes).toMatchObject({
      'http.request.method': '_OTHER',
      'http.request.method_original': 'LINK',
    });
  });

  test('of a function is what it is called', async () => {
    const { spillway, operations, attempts } = await traced(200);
    await spillway.dependency('quotes').call(() => 1, { operation: 'load prices' });
    expect([operations()[0]?.name, attempts()[0]?.name]).toEqual(['quotes load prices', 'load prices']);
    expect(attempts()[0]?.attributes).not.toHaveProperty('http.request.method');
  });
});
