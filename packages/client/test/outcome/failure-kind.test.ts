import { createServer as createTlsServer } from 'node:https';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { manualClock } from '@spillway/testing';
import { type ConnectionFacts, kindOfFailure } from '../../src/outcome/failure-kind.js';
import { CERTIFICATE, KEY } from '../support/certificate.js';
import { cleanUp, errorOf, headersIn, type Scene, scene, serve, type Wired, wire } from '../support/scene.js';

const FACTS: ConnectionFacts = {
  opened: true,
  connected: true,
  status: undefined,
  complete: false,
  hasRetryAfter: false,
  reusedInSilence: false,
  resendable: true,
  keyed: false,
};

const coded = (code: string, name = 'RequestError') => Object.assign(new Error(code), { code, name });

describe('the row of a failure', () => {
  test.each<[string, Partial<ConnectionFacts>, Error, string]>([
    ['a refused connection', { connected: false }, coded('ECONNREFUSED'), 'unsent'],
    ['any end before the connection stood', { connected: false }, coded('ECONNRESET'), 'unsent'],
    ['a look-up that fails', {}, coded('ENOTFOUND'), 'unsent'],
    ['a certificate', { connected: false }, coded('CERT_HAS_EXPIRED'), 'certificate'],
    ['a reset', {}, coded('ECONNRESET'), 'reset'],
    ['a broken pipe', {}, coded('EPIPE'), 'reset'],
    ['a reset of a reused connection in silence', { reusedInSilence: true }, coded('ECONNRESET'), 'stale'],
    ['a broken pipe on one', { reusedInSilence: true }, coded('EPIPE'), 'stale'],
    ['another error on one', { reusedInSilence: true }, coded('HPE_INVALID_CONSTANT'), 'reset'],
    [
      'one that may not be repeated',
      { reusedInSilence: true, resendable: false },
      coded('ECONNRESET'),
      'reset',
    ],
    ['an answer that ends early', { status: 200 }, coded('ECONNRESET', 'ReadError'), 'truncated'],
    ['compressed data that ends early', { status: 200 }, coded('Z_BUF_ERROR', 'ReadError'), 'truncated'],
    ['what is no compressed data', { status: 200 }, coded('Z_DATA_ERROR', 'ReadError'), 'unparsable'],
    [
      'a whole answer that cannot be read',
      { status: 200, complete: true },
      coded('X', 'ReadError'),
      'unparsable',
    ],
    [
      'a body that does not parse',
      { status: 200 },
      coded('ERR_BODY_PARSE_FAILURE', 'ParseError'),
      'unparsable',
    ],
    ['too many redirects', { status: 302 }, coded('ERR_TOO_MANY_REDIRECTS', 'MaxRedirectsError'), 'answer'],
    ['404', { status: 404 }, coded('', 'HTTPError'), 'answer'],
    ['408', { status: 408 }, coded('', 'HTTPError'), 'transient-status'],
    ['429', { status: 429 }, coded('', 'HTTPError'), 'throttled'],
    [
      '409 with a key and Retry-After',
      { status: 409, keyed: true, hasRetryAfter: true },
      coded('', 'HTTPError'),
      'in-progress',
    ],
    ['409 with a key', { status: 409, keyed: true }, coded('', 'HTTPError'), 'answer'],
    ['500', { status: 500 }, coded('', 'HTTPError'), 'server-error'],
    ['501', { status: 501 }, coded('', 'HTTPError'), 'server-fault'],
    [
      'what never was a request',
      { opened: false, connected: false },
      coded('ERR_GOT_REQUEST_ERROR'),
      'misuse',
    ],
    ["a body of the user's that fails", {}, coded('ERR_UPLOAD', 'UploadError'), 'misuse'],
  ])('%s', (_name, facts, error, kind) => {
    expect(kindOfFailure(error, { ...FACTS, ...facts })).toBe(kind);
  });

  test('something thrown that is no error at all is read like one', () => {
    expect(kindOfFailure(undefined, FACTS)).toBe('reset');
    expect(kindOfFailure('gone', { ...FACTS, opened: false })).toBe('misuse');
  });
});

const endOf = ({ events }: Wired) => events.find(({ type }) => type === 'attempt.end');

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
      done(coded('ENOTFOUND'));
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

describe('answers by status', () => {
  const shown = ({ events, server }: Scene) => [server.count(), endOf({ events } as Wired)];

  test.each([
    [200, 'answer', 'success', 1],
    [204, 'answer', 'success', 1],
    [304, 'answer', 'success', 1],
  ])('%i is handed on', async (status, kind, result, hits) => {
    const set = await scene(status);
    expect((await set.client.get('a')).statusCode).toBe(status);
    expect(shown(set)).toEqual([hits, expect.objectContaining({ kind, result, status })]);
  });

  test.each([400, 401, 403, 404, 409, 410, 422])(
    "%i is got's own HTTPError, after one attempt",
    async (status) => {
      const set = await scene(status);
      expect(await errorOf(set.client.get('a'))).toMatchObject({
        name: 'HTTPError',
        response: { statusCode: status },
      });
      expect(shown(set)).toEqual([1, expect.objectContaining({ kind: 'answer', result: 'success', status })]);
    },
  );

  test.each([
    [408, 'ignored', 502],
    [425, 'ignored', 502],
    [429, 'ignored', 503],
    [500, 'failure', 502],
    [502, 'failure', 502],
    [503, 'failure', 503],
    [504, 'failure', 504],
  ])('%i is retried, then ERR_UPSTREAM', async (status, result, ours) => {
    const set = await scene(status);
    const error = await errorOf(set.client.get('a'));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: ours,
      stopped: 'attempts',
      attempts: 3,
      sent: 'answered',
    });
    expect(error.cause).toMatchObject({ name: 'HTTPError', response: { statusCode: status } });
    expect(shown(set)).toEqual([3, expect.objectContaining({ result, status })]);
  });

  test.each([501, 505, 507, 521])('%i is a failure that is not retried', async (status) => {
    const set = await scene(status);
    expect(await errorOf(set.client.get('a'))).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 502,
      attempts: 1,
    });
    expect(shown(set)).toEqual([1, expect.objectContaining({ kind: 'server-fault', result: 'failure' })]);
  });

  test('a POST that was answered 503 is not repeated unless it may be', async () => {
    const set = await scene(503);
    expect(await errorOf(set.client.post('a'))).toMatchObject({ stopped: 'not-idempotent', attempts: 1 });
    expect(await errorOf(set.client.post('a', { idempotent: true }))).toMatchObject({ attempts: 3 });
    expect(await errorOf(set.client.get('a', { idempotent: false }))).toMatchObject({ attempts: 1 });
  });

  test('`unwrap` rejects with the cause itself', async () => {
    const set = await scene(503);
    expect(await errorOf(set.client.get('a', { unwrap: true }))).toMatchObject({ name: 'HTTPError' });
  });
});
