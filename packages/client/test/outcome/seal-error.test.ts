import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import type { FlakyScript } from '@spillway/testing';
import { HTTPError } from 'got';
import { sealError } from '../../src/outcome/seal-error.js';
import { errorOf, scene } from '../support/scene.js';

/** What must not be seen: outgoing query, header, body, credentials. */
const SECRET = 'hunter2';
const OPTIONS = {
  headers: { authorization: `Bearer ${SECRET}`, cookie: SECRET },
  searchParams: { token: SECRET },
  json: { password: SECRET },
  username: 'me',
  password: SECRET,
};

/** Every way in which a logger or a default error handler shows an error. */
function shown(thrown: unknown): string {
  const error = thrown as Error & Readonly<Record<string, unknown>>;
  const own = Object.fromEntries(Object.keys(error).map((key) => [key, error[key]]));
  const inherited: Record<string, unknown> = {};
  for (const key in error) inherited[key] = error[key];
  // pino's serialiser: type, message, stack, then what enumerates, then the same of the cause
  const parts = [
    String(error),
    error.message,
    error.stack,
    inspect(error, { depth: 9 }),
    inspect({ error }, { depth: 9 }),
  ];
  parts.push(JSON.stringify(error), JSON.stringify({ error, own, inherited }), inspect(own, { depth: 9 }));
  return parts.join('\n');
}

async function posted(script: FlakyScript, options: object = {}): Promise<unknown> {
  const { client } = await scene(script);
  return client.post('v1', { ...OPTIONS, ...options });
}

async function refused(): Promise<unknown> {
  const { client, server } = await scene(200);
  await server.down('refuse');
  return client.post('v1', OPTIONS);
}

async function unparsed(late: boolean): Promise<unknown> {
  const { client } = await scene({ body: SECRET });
  const promise = client.post('v1', OPTIONS);
  if (late) await promise;
  return promise.json();
}

const redirect = { status: 307, headers: { location: `/v2?token=${SECRET}` } };

const failures: [string, () => Promise<unknown>][] = [
  ['404', () => posted(404)],
  ['503', () => posted(503)],
  ['503 of a stream', () => streamed(503)],
  ['404 of a stream', () => streamed(404)],
  ['a stream cut short', () => streamed({ truncate: true })],
  ['a reset', () => posted({ reset: 'after-body' })],
  ['a refused connection', refused],
  ['an answer cut short', () => posted({ truncate: true })],
  ['an answer that does not parse', () => unparsed(false)],
  ['JSON asked for late', () => unparsed(true)],
  ['an attempt timeout', () => posted({ stall: true }, { deadline: '200ms' })],
  ['too many redirects', () => posted(redirect, { followRedirect: true, maxRedirects: 1 })],
];

async function streamed(script: FlakyScript): Promise<unknown> {
  const { client } = await scene(script);
  return text(client.stream.post('v1', OPTIONS));
}

test.each(failures)(
  '%s shows no query, header or body of the request, however it is logged',
  async (_name, fail) => {
    const error = await errorOf(fail());
    expect(error.code).toBeDefined();
    expect(shown(error)).not.toContain(SECRET);
    for (let { cause } = error; cause instanceof Object && 'message' in cause; cause = cause.cause) {
      expect(shown(cause)).not.toContain(SECRET);
    }
    expect(error.stack ?? '').not.toMatch(/\n\s+at /);
  },
);

describe("got's HTTPError", () => {
  const failed = async () =>
    errorOf((await scene({ status: 404, body: 'gone' })).client.get('v1/x?token=1', { headers: { a: '1' } }));

  test("is got's own, with all that it carries", async () => {
    const error = await failed();
    expect(error).toBeInstanceOf(HTTPError);
    expect(error.response).toMatchObject({ statusCode: 404, body: 'gone' });
    expect(error.request.options.headers).toMatchObject({ a: '1' });
    expect(error.options.url.search).toBe('?token=1');
    expect(error.message).toMatch(
      /^Request failed with status code 404 \(Not Found\): GET http:\/\/127\.0\.0\.1:\d+\/v1\/x$/,
    );
  });

  test('is 502 for whoever does not handle it, and not for the client to read', async () => {
    const error = await failed();
    expect([error.status, error.statusCode, error.expose]).toEqual([502, 502, false]);
    expect(Object.keys(error)).toEqual(['name', 'code']);
  });

  test('is inspected and serialised with method, origin, path and status', async () => {
    const error = await failed();
    const { origin } = error.options.url;
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      name: 'HTTPError',
      code: 'ERR_NON_2XX_3XX_RESPONSE',
      message: error.message,
      responseStatus: 404,
      method: 'GET',
      origin,
      path: '/v1/x',
    });
    expect(inspect(error)).toMatch(
      /^HTTPError \[ERR_NON_2XX_3XX_RESPONSE\]: Request failed .*"path":"\/v1\/x"/,
    );
  });
});

test('a mention of another URL in a message is cut to its path as well', () => {
  const options = { url: new URL('http://q.internal/a?token=1'), method: 'GET' };
  const error = Object.assign(
    new Error('GET http://q.internal/a?token=1 went to https://u:p@x.example/b?c=2, see "http://["'),
    { code: 'X', options },
  );
  sealError(error);
  expect(error.message).toBe('GET http://q.internal/a went to https://x.example/b see "http://q.internal/a"');
});

test('a wrong value of an option of got is its TypeError, with its stack and without the options', async () => {
  const { client } = await scene(200);
  const error = await errorOf(client.post('v1', { ...OPTIONS, decompress: 'yes' as never }));
  expect(error).toMatchObject({ name: 'TypeError' });
  expect(error.stack).toMatch(/\n\s+at /);
  expect(Object.keys(error)).toEqual([]);
  expect(inspect(error, { depth: 9 })).not.toContain(SECRET);
});

test('what is no error of got is left alone', () => {
  const error = new Error('a?token=1');
  const { stack } = error;
  for (const thrown of [error, 'text', undefined, null]) expect(() => sealError(thrown)).not.toThrow();
  expect(error.stack).toBe(stack);
});
