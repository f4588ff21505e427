import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { RequestOptions } from '@spillway/client';
import got from 'got';
import { serve, wire } from '../support/scene.js';

type Answering = (req: IncomingMessage, res: ServerResponse) => void;

const json = JSON.stringify({ price: 3 });
const zipped: Answering = (_req, res) =>
  res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(json));
const status =
  (code: number, body?: string): Answering =>
  (_req, res) =>
    res.writeHead(code).end(body);
const moved: Answering = (req, res) => {
  if (req.url === '/there') res.end(`${req.method} there`);
  else res.writeHead(req.method === 'POST' ? 303 : 307, { location: '/there' }).end('go');
};
const movedForGood: Answering = (req, res) => {
  if (req.url === '/there') echo(req, res);
  else res.writeHead(307, { location: '/there' }).end();
};
const inPieces: Answering = (_req, res) => {
  res.write('{"a":');
  setImmediate(() => res.end('"ä"}'));
};
const echo: Answering = (req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () =>
    res.end(`${req.method} ${req.headers['content-length'] ?? req.headers['transfer-encoding']} ${chunks}`),
  );
};

type Hook = NonNullable<NonNullable<RequestOptions['hooks']>['beforeRequest']>[number];

const hooked = (hook: Hook): RequestOptions => ({ hooks: { beforeRequest: [hook] } });
const setsStream = hooked((options) => {
  options.body = Readable.from(['set']);
});
const setsIterable = hooked((options) => {
  options.body = (async function* () {
    yield 'set';
  })();
});
const takesBody = hooked((options) => {
  options.body = undefined;
  delete options.headers['content-length'];
});
const wantsNoError = hooked((options) => {
  options.throwHttpErrors = false;
});
const makesUp = (answer: object) =>
  hooked(({ url }) =>
    (url as URL).pathname === '/v1'
      ? (Object.assign(Readable.from(['made up']), { rawHeaders: [], complete: true, ...answer }) as never)
      : undefined,
  );

const CASES: [string, Answering, RequestOptions][] = [
  ['text', status(200, 'text'), {}],
  ['nothing', status(204), {}],
  ['nothing new', status(304), {}],
  ['text in pieces', inPieces, {}],
  ['JSON in pieces', inPieces, { responseType: 'json' }],
  ['another encoding', inPieces, { encoding: 'latin1' }],
  ['bytes', status(200, 'text'), { responseType: 'buffer' }],
  ['gzip', zipped, { responseType: 'json' }],
  ['gzip left as it is', zipped, { decompress: false }],
  ['JSON that does not parse', status(200, '{'), { responseType: 'json' }],
  ['404', status(404, 'no'), {}],
  ['404 with JSON', status(404, json), { responseType: 'json' }],
  ['404 with JSON that does not parse', status(404, '{'), { responseType: 'json' }],
  ['404 that throws nothing', status(404, json), { responseType: 'json', throwHttpErrors: false }],
  ['a redirect', moved, {}],
  ['a redirect that is followed', moved, { followRedirect: true }],
  ['a POST that is redirected', moved, { method: 'POST', body: 'x', followRedirect: true }],
  ['HEAD', status(200, 'text'), { method: 'HEAD' }],
  ['POST', echo, { method: 'POST', body: 'text' }],
  ['POST of JSON', echo, { method: 'POST', json: { a: 1 } }],
  ['POST of nothing', echo, { method: 'POST' }],
  ['PUT of bytes', echo, { method: 'PUT', body: Buffer.from('bytes') }],
  ['DELETE', echo, { method: 'DELETE' }],
  ['GET with a body allowed', echo, { allowGetBody: true }],
  ['GET with a body', echo, { allowGetBody: true, body: 'text' }],
  ['POST of a stream that a hook sets', echo, { method: 'POST', ...setsStream }],
  ['POST of an iterable that a hook sets', echo, { method: 'POST', ...setsIterable }],
  ['POST whose body a hook takes', echo, { method: 'POST', body: 'text', ...takesBody }],
  ['GET whose body a hook takes', echo, { allowGetBody: true, body: 'text', ...takesBody }],
  ['404 that a hook wants no error of', status(404, 'no'), wantsNoError],
  ['an answer that a hook makes up', echo, makesUp({ statusCode: 200, headers: {} })],
  ['one to a POST', echo, { method: 'POST', ...makesUp({ statusCode: 200, headers: {} }) }],
  [
    'a redirect that a hook makes up',
    echo,
    { followRedirect: true, ...makesUp({ statusCode: 302, headers: { location: '/there' } }) },
  ],
  [
    'an iterable that cannot follow',
    movedForGood,
    { method: 'POST', body: new Set(['a']), followRedirect: true },
  ],
];

/** What its user can see of it. */
function shown(response: unknown) {
  const { statusCode, body, rawBody, url, requestUrl, redirectUrls, ok, retryCount } = response as Record<
    string,
    unknown
  >;
  return { statusCode, body, rawBody, url, requestUrl, redirectUrls, ok, retryCount };
}

async function end(promise: Promise<unknown>) {
  try {
    return shown(await promise);
  } catch (error) {
    const { name, code, message, response, cause } = error as Error & { code: string; response?: unknown };
    if (name === 'SpillwayError') return end(Promise.reject(cause));
    return { name, code, message, response: response === undefined ? undefined : shown(response) };
  }
}

describe("an answer is what got's own promise gives", () => {
  test.each(CASES)('%s', async (_name, listener, options) => {
    const seen: (string | undefined)[] = [];
    const { url } = await serve((req, res) => {
      seen.push(req.method);
      listener(req, res);
    });
    const { client } = wire(url);
    const ours = await end(client('v1', options));
    const sent = seen.splice(0);
    const theirs = await end(
      got(`${url}/v1`, { retry: { limit: 0 }, followRedirect: false, ...options } as never),
    );
    expect({ ...ours, message: '' }).toEqual({ ...theirs, message: '' });
    expect(sent).toEqual(seen);
  });

  test('but its error quotes nothing of a body that does not parse', async () => {
    const { url } = await serve(status(200, 'secret'));
    const { client } = wire(url, { retry: { attempts: 1 } });
    const ours = await end(client('v1', { responseType: 'json' }));
    expect(ours).toMatchObject({
      name: 'ParseError',
      message: expect.stringMatching(/^The body of the 200 answer is not/),
    });
  });
});
