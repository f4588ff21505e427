import { describe, expect, test } from '@jest/globals';
import type { TransportRequest, TransportResponse } from '@spillway/core';
import { manualClock, scriptedTransport } from '../../src/index.js';

function requestTo(path: string, signal: AbortSignal = new AbortController().signal): TransportRequest {
  return {
    dependency: 'quotes',
    method: 'GET',
    url: `http://quotes.internal${path}`,
    headers: {},
    body: undefined,
    attempt: 1,
    timeoutMs: 1000,
    signal,
  };
}

async function textOf(response: TransportResponse): Promise<string> {
  const { body = '' } = response;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return Buffer.from(body).toString();
  let text = '';
  for await (const chunk of body) text += Buffer.from(chunk).toString();
  return text;
}

describe('what it answers', () => {
  test('Steps come one per request, and the last repeats.', async () => {
    const transport = scriptedTransport([503, { status: 429, headers: { 'retry-after': 2 } }, 200]);
    const responses = [];
    for (let i = 0; i < 4; i++) responses.push(await transport(requestTo('/')));
    expect(responses.map(({ status }) => status)).toEqual([503, 429, 200, 200]);
    expect(responses[1]?.headers).toEqual({ 'content-type': 'application/json', 'retry-after': 2 });
  });

  test('Text goes out as it is, anything else as JSON, by default the status.', async () => {
    const transport = scriptedTransport([{ body: 'plain' }, { body: { price: 1 } }, 201]);
    const responses = [];
    for (let i = 0; i < 3; i++) responses.push(await transport(requestTo('/')));
    expect(await Promise.all(responses.map(textOf))).toEqual(['plain', '{"price":1}', '{"status":201}']);
    expect(responses[0]?.headers).toEqual({});
  });

  test('A function sees the request.', async () => {
    const transport = scriptedTransport(async ({ url }) => ({ body: url }));
    expect(await textOf(await transport(requestTo('/a')))).toBe('http://quotes.internal/a');
  });

  test('It keeps every request and counts them, and a new script starts with the next.', async () => {
    const transport = scriptedTransport([500, 501]);
    await transport(requestTo('/a'));
    transport.script([200]);
    expect((await transport(requestTo('/b'))).status).toBe(200);
    expect(transport.count).toBe(2);
    expect(transport.requests.map(({ url }) => url)).toEqual([
      'http://quotes.internal/a',
      'http://quotes.internal/b',
    ]);
  });
});

describe('how it fails', () => {
  test('An error rejects with its code.', async () => {
    const transport = scriptedTransport({ error: 'ECONNREFUSED' });
    await expect(transport(requestTo('/'))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('A truncated body breaks off, as a reset connection does.', async () => {
    const transport = scriptedTransport({ body: 'abcdef', truncate: true });
    const chunks: string[] = [];
    const { body } = await transport(requestTo('/'));
    const read = async () => {
      for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk).toString());
    };
    await expect(read()).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(chunks).toEqual(['abc']);
  });

  test("Latency takes the clock's time, before answers and before errors.", async () => {
    const clock = manualClock();
    const transport = scriptedTransport([{ latency: 100 }, { latency: 50, error: 'ECONNRESET' }], { clock });
    const ends: string[] = [];
    const answered = transport(requestTo('/')).then(() => ends.push(`answer at ${clock.now()}`));
    const failed = transport(requestTo('/')).catch(() => ends.push(`error at ${clock.now()}`));
    await clock.runToIdle();
    await Promise.all([answered, failed]);
    expect(ends).toEqual(['error at 50', 'answer at 100']);
  });

  test('A hang ends when the attempt is given up, with the reason, and leaves no timer.', async () => {
    const clock = manualClock();
    const transport = scriptedTransport([{ hang: true }, { latency: 100 }], { clock });
    const controller = new AbortController();
    const hanging = [1, 2].map(() => transport(requestTo('/', controller.signal)));
    const reason = new Error('given up');
    await clock.advance(10);
    controller.abort(reason);
    const ends = await Promise.allSettled(hanging);
    expect(ends).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(clock.pending).toBe(0);
    await expect(transport(requestTo('/', controller.signal))).rejects.toBe(reason);
  });

  test('Work that ignores its abort goes on and answers late.', async () => {
    const clock = manualClock();
    const transport = scriptedTransport({ latency: 100, ignoresAbort: true }, { clock });
    const late = transport(requestTo('/', AbortSignal.abort()));
    await clock.advance(100);
    expect((await late).status).toBe(200);
  });
});

test('An answer at once never reads the signal, which would make it.', async () => {
  const transport = scriptedTransport();
  const request = { ...requestTo('/') };
  let reads = 0;
  Object.defineProperty(request, 'signal', { get: () => ++reads });
  expect((await transport(request)).status).toBe(200);
  expect(reads).toBe(0);
});
