import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { Transport, TransportRequest, TransportResponse } from '@spillway/core';
import { manualClock } from '@spillway/testing';
import { errorOf, wire } from '../support/scene.js';

function withTransport(quotes: Transport, policy: object = {}, options: object = {}) {
  return wire('http://quotes.internal/api', policy, { transports: { quotes }, ...options });
}

function failing(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe('a transport stands in for the network', () => {
  test('it gets one attempt as plain data', async () => {
    const seen: TransportRequest[] = [];
    const { client } = withTransport((request) => {
      seen.push(request);
      return { status: 200, headers: { 'Content-Type': 'application/json', 'X-N': 1 }, body: '{"price":3}' };
    });
    const response = await client.post('price', {
      json: { symbol: 'ACME' },
      searchParams: { at: 1 },
      headers: { 'X-A': '1' },
    });
    expect(response).toMatchObject({ statusCode: 200, body: '{"price":3}', headers: { 'x-n': '1' } });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toMatchObject({
      dependency: 'quotes',
      method: 'POST',
      url: 'http://quotes.internal/api/price?at=1',
      attempt: 1,
      timeoutMs: 3000,
      headers: { 'x-a': '1', 'x-request-attempt': '1', 'content-type': 'application/json' },
    });
    expect(String(Buffer.from(seen[0]?.body ?? []))).toBe('{"symbol":"ACME"}');
  });

  test('a request without a body has none', async () => {
    const bodies: unknown[] = [];
    const { client } = withTransport(({ body }) => {
      bodies.push(body);
      return { status: 204 };
    });
    expect(await client.get('a').text()).toBe('');
    expect(bodies).toEqual([undefined]);
  });

  test("its answers become got's responses and errors", async () => {
    const answers: TransportResponse[] = [{ status: 503 }, { status: 404, body: 'none' }];
    const { client } = withTransport(async () => answers.shift() ?? { status: 200 });
    const error = await errorOf(client.get('a'));
    expect(error).toMatchObject({
      name: 'HTTPError',
      response: { statusCode: 404, body: 'none', statusMessage: 'Not Found' },
    });
    expect(answers).toHaveLength(0);
  });

  test.each<[string, TransportResponse['body'], string]>([
    ['text', 'héllo', 'héllo'],
    ['bytes', new Uint8Array([104, 105]), 'hi'],
    [
      'chunks',
      (async function* () {
        yield 'a';
        yield new Uint8Array([98]);
      })(),
      'ab',
    ],
    ['nothing', undefined, ''],
  ])('a body may be %s', async (_name, body, text) => {
    const { client } = withTransport(() => (body === undefined ? { status: 200 } : { status: 200, body }));
    expect(await client.get('a').text()).toBe(text);
  });

  test('a compressed body is decompressed', async () => {
    const body = gzipSync('plain');
    const { client } = withTransport(() => ({ status: 200, headers: { 'content-encoding': 'gzip' }, body }));
    expect(await client.get('a').text()).toBe('plain');
  });

  test('HEAD gets no body', async () => {
    const { client } = withTransport(() => ({ status: 200, body: 'x' }));
    expect((await client.head('a')).body).toBe('');
  });

  test('a header may have several values', async () => {
    const { client } = withTransport(() => ({ status: 200, headers: { 'Set-Cookie': ['a=1', 'b=2'] } }));
    expect((await client.get('a')).headers['set-cookie']).toEqual(['a=1', 'b=2']);
  });
});

describe('its failures are read as those of a connection', () => {
  test.each([
    ['ECONNREFUSED', 'unsent', 503, 'no'],
    ['ENOTFOUND', 'unsent', 503, 'no'],
    ['ECONNRESET', 'reset', 502, 'maybe'],
    ['ANYTHING', 'reset', 502, 'maybe'],
    ['CERT_HAS_EXPIRED', 'certificate', 502, 'no'],
  ])('%s', async (code, kind, status, sent) => {
    const { client, events } = withTransport(() => Promise.reject(failing(code)), { retry: false });
    expect(await errorOf(client.post('a'))).toMatchObject({ code: 'ERR_UPSTREAM', status });
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({ kind, result: 'failure' });
    expect(kind === 'unsent' ? 'no' : sent).toBe(sent);
  });

  test('a body that breaks off is an answer cut short', async () => {
    const body = async function* () {
      yield 'half';
      throw failing('ECONNRESET');
    };
    const { client, events } = withTransport(() => ({ status: 200, body: body() }), { retry: false });
    expect(await errorOf(client.get('a').text())).toMatchObject({ code: 'ERR_UPSTREAM', sent: 'answered' });
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({ kind: 'truncated' });
  });

  test('a TypeError is a bug in the transport, and reaches the caller as it is', async () => {
    const bug = new TypeError('undefined is not a function');
    const { client } = withTransport(() => {
      throw bug;
    });
    expect(await errorOf(client.get('a'))).toBe(bug);
  });

  test("a TypeError with a cause is fetch's failed connection", async () => {
    const failed = new TypeError('fetch failed', { cause: failing('ECONNREFUSED') });
    const { client } = withTransport(() => Promise.reject(failed), { retry: false });
    expect(await errorOf(client.get('a'))).toMatchObject({ code: 'ERR_UPSTREAM' });
  });

  test('what is no error is told as text', async () => {
    const { client } = withTransport(() => Promise.reject('nope'), { retry: false });
    expect((await errorOf(client.get('a'))).cause.message).toBe('nope');
  });
});

describe('under a manual clock', () => {
  test('an attempt that never answers is given up at its timeout, and its signal aborts', async () => {
    const clock = manualClock();
    const signals: AbortSignal[] = [];
    const never: Transport = ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    const { client, events } = withTransport(
      never,
      { attempt: { timeout: '400ms' }, retry: false },
      { clock },
    );
    const rejection = errorOf(client.get('a'));
    await clock.advance(399);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await clock.advance(1);
    expect(await rejection).toMatchObject({ code: 'ERR_UPSTREAM', status: 504, sent: 'maybe' });
    expect(signals[0]?.aborted).toBe(true);
    expect(signals[0]?.reason).toMatchObject({ code: 'ERR_ATTEMPT_TIMEOUT' });
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({ at: 400, kind: 'timeout' });
    expect(clock.pending).toBe(0);
  });

  test('retries come at the instants of the backoff', async () => {
    const clock = manualClock();
    const at: number[] = [];
    const backoff = { base: '100ms', factor: 2, jitter: 'none' };
    const { client } = withTransport(
      () => {
        at.push(clock.now());
        return { status: 500 };
      },
      { retry: { attempts: 3, backoff } },
      { clock },
    );
    const rejection = errorOf(client.get('a'));
    await clock.runToIdle();
    expect(await rejection).toMatchObject({ stopped: 'attempts' });
    expect(at).toEqual([0, 100, 300]);
  });

  test('an attempt that runs into its timeout leaves its connection, and a late answer is dropped', async () => {
    const clock = manualClock();
    let answer: (response: TransportResponse) => void = () => undefined;
    const slow: Transport = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const { client, events } = withTransport(
      slow,
      { attempt: { timeout: '100ms' }, retry: false },
      { clock },
    );
    const rejection = errorOf(client.get('a'));
    await clock.advance(100);
    expect(await rejection).toMatchObject({ status: 504 });
    answer({ status: 200 });
    await clock.advance(0);
    expect(events.filter(({ type }) => type === 'operation.end')).toHaveLength(1);
  });
});
