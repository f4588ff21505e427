import { createServer as createTlsServer } from 'node:https';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { manualClock } from '@spillway/testing';
import { CERTIFICATE, KEY } from '../support/certificate.js';
import { cleanUp, endOf, errorOf, headersIn, scene, serve, type Wired, wire } from '../support/scene.js';

async function failing(set: Wired, method = 'GET') {
  return errorOf(set.client('a', { method, retry: false }).json());
}

describe('real failures', () => {
  test('a refused connection: surely not sent, retried for any method, 503 with Retry-After', async () => {
    const set = await scene(200);
    await set.server.down('refuse');
    const error = await errorOf(set.client.post('a'));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 503,
      sent: 'no',
      stopped: 'attempts',
      attempts: 3,
    });
    expect(error.headers).toEqual({ 'Retry-After': '1' });
    expect(endOf(set)).toMatchObject({ kind: 'unsent', result: 'failure' });
  });

  test('a name that does not resolve', async () => {
    const set = wire('http://quotes.invalid');
    const dnsLookup = (_name: string, _options: object, done: (error: Error) => void) =>
      done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }));
    const error = await errorOf(set.client.post('a', { retry: false, dnsLookup: dnsLookup as never }));
    expect(error).toMatchObject({ status: 503, sent: 'no' });
    expect(endOf(set)).toMatchObject({ kind: 'unsent' });
  });

  test.each(['before-body', 'after-body'] as const)('a reset %s', async (reset) => {
    const set = await scene({ reset });
    expect(await failing(set)).toMatchObject({ code: 'ERR_UPSTREAM', status: 502, sent: 'maybe' });
    expect(endOf(set)).toMatchObject({ kind: 'reset', result: 'failure' });
  });

  test('a POST that was reset is not sent again', async () => {
    const set = await scene([{ reset: 'after-body' }, 200]);
    expect(await errorOf(set.client.post('a', { json: 1 }))).toMatchObject({
      stopped: 'not-idempotent',
      sent: 'maybe',
    });
    expect(set.server.count()).toBe(1);
  });

  test.each([[{ truncate: true } as const], [{ truncate: 3 } as const]])(
    'an answer cut short, %j',
    async (reply) => {
      const set = await scene({ ...reply, body: { long: 'x'.repeat(100) } });
      expect(await failing(set)).toMatchObject({ code: 'ERR_UPSTREAM', status: 502, sent: 'answered' });
      expect(endOf(set)).toMatchObject({ kind: 'truncated', result: 'failure', status: 200 });
    },
  );

  test('an answer cut short is retried for idempotent methods alone', async () => {
    const set = await scene([{ truncate: true }, 200]);
    await set.client.get('a');
    expect(set.server.count()).toBe(2);
    set.server.script([{ truncate: true }, 200]);
    expect(await errorOf(set.client.post('a'))).toMatchObject({
      stopped: 'not-idempotent',
      sent: 'answered',
    });
  });

  test('an answer that stalls is cut by the attempt timeout', async () => {
    const clock = manualClock();
    const set = await scene({ stallBody: true }, { attempt: { timeout: '40ms' } }, { clock });
    const answered = headersIn();
    const failure = failing(set);
    await answered;
    await clock.advance(40);
    const error = await failure;
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', status: 504, sent: 'answered' });
    expect(error.cause).toMatchObject({ code: 'ERR_ATTEMPT_TIMEOUT' });
  });

  test('JSON that does not parse: one attempt, no mark against the breaker', async () => {
    const set = await scene({ body: '<html>secret' });
    const error = await errorOf(set.client.get('a?q=secret').json());
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 502,
      sent: 'answered',
      stopped: 'not-retryable',
    });
    expect(error.cause).toMatchObject({ name: 'ParseError', response: { body: '<html>secret' } });
    expect(error.cause.message + error.cause.stack).not.toContain('secret');
    expect(set.server.count()).toBe(1);
    expect(endOf(set)).toMatchObject({ kind: 'unparsable', result: 'ignored' });
  });

  test.each([
    ['gzip', gzipSync('x'.repeat(1000))],
    ['br', brotliCompressSync('x'.repeat(1000))],
  ])('bytes that are no %s', async (encoding, bytes) => {
    const broken = Buffer.concat([
      Buffer.from(bytes.subarray(0, 4)),
      Buffer.from('this is not what it says it is'),
    ]);
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-length': broken.length }).end(broken);
    });
    const set = wire(url);
    expect(await failing(set)).toMatchObject({ code: 'ERR_UPSTREAM', sent: 'answered' });
    expect(endOf(set)).toMatchObject({ kind: 'unparsable', result: 'ignored' });
  });

  test('an answer that is no HTTP', async () => {
    const { createServer } = await import('node:net');
    const server = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp(() => server.close());
    const set = wire(`http://127.0.0.1:${(server.address() as { port: number }).port}`);
    expect(await failing(set)).toMatchObject({ code: 'ERR_UPSTREAM', status: 502, sent: 'maybe' });
  });
});

describe('certificates', () => {
  async function tls(): Promise<string> {
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (_request, response) =>
      response.end('{}'),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanUp(() => {
      server.closeAllConnections();
      server.close();
    });
    return `https://127.0.0.1:${(server.address() as { port: number }).port}`;
  }

  test('one that nobody vouches for: one attempt, a failure, 502', async () => {
    const set = wire(await tls());
    const error = await errorOf(set.client.get('a'));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 502,
      sent: 'no',
      stopped: 'not-retryable',
      attempts: 1,
    });
    expect(error.cause.code).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(endOf(set)).toMatchObject({ kind: 'certificate', result: 'failure' });
  });

  test('one of another name', async () => {
    const set = wire(await tls(), { client: { https: { certificateAuthority: CERTIFICATE } } });
    expect((await errorOf(set.client.get('a'))).cause.code).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(endOf(set)).toMatchObject({ kind: 'certificate' });
  });

  test('one that is trusted, over a connection that is kept', async () => {
    const https = {
      certificateAuthority: CERTIFICATE,
      serverName: 'quotes.test',
      checkServerIdentity: () => undefined,
    };
    const set = wire(await tls(), { client: { https } });
    expect(await set.client.get('a').json()).toEqual({});
    const again = await set.client.get('a');
    expect(again.request.reusedSocket).toBe(true);
  });
});
