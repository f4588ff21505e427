import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { createSpillway } from '@spillway/core';
import { checkOptions } from '../../src/request/options.js';
import { errorOf, scene, wire } from '../support/scene.js';

describe('an option of got that a client does not take', () => {
  test.each([
    ['timeout', { request: 5 }, /'timeout'.*attempt\.timeout/],
    ['cache', new Map(), /'cache'/],
    ['cookieJar', {}, /'cookieJar'.*cookie/],
    ['pagination', {}, /'pagination'/],
    ['agent', {}, /'agent'.*bulkhead\.concurrent/],
    ['request', () => undefined, /'request'.*transports/],
    ['http2', true, /'http2'.*HTTP\/1\.1/],
    ['prefixUrl', 'http://x', /'prefixUrl'.*baseUrl/],
    ['isStream', true, /'isStream'.*\.stream/],
    ['resolveBodyOnly', true, /'resolveBodyOnly'.*\.json/],
    ['url', 'x', /'url'.*first argument/],
    ['serchParams', {}, /'serchParams' is unknown.*searchParams/],
    ['retry', { limit: 2 }, /'retry\.limit'.*attempts/],
    ['retry', true, /'retry' is false or/],
    ['retry', { attempts: 0 }, /'retry\.attempts'.*1 to 100.*0/],
    ['hooks', { afterResponse: [] }, /Hook 'afterResponse'.*beforeRequest/],
    ['hooks', { beforeRetry: [] }, /Hook 'beforeRetry'/],
    ['hooks', null, /'hooks' is an object/],
  ])('%s is refused with what to use instead', (name, value, message) => {
    expect(() => checkOptions('quotes', 'request', { [name]: value })).toThrow(message);
  });

  test('rejects the request before anything is sent', async () => {
    const { client, server } = await scene(200);
    const error = await errorOf(client.get('v1', { timeout: { request: 5 } } as never));
    expect(error).toMatchObject({ code: 'ERR_CONFIG', dependency: 'quotes', blame: 'us' });
    expect(server.count()).toBe(0);
  });

  test('in the configuration is refused when the client is asked for', () => {
    const spillway = createSpillway({
      dependencies: { quotes: { baseUrl: 'http://127.0.0.1:1', client: { cookieJar: {} } } },
    });
    expect(() => clients(spillway)('quotes')).toThrow(/client\.cookieJar/);
  });
});

describe('where an option may stand', () => {
  test.each([
    ['config', 'deadline', '1s', /'client\.deadline' stands one level up/],
    ['config', 'body', 'x', /'client\.body' belongs to a single request/],
    ['extend', 'json', {}, /'json' belongs to a single request/],
    ['extend', 'signal', AbortSignal.abort(), /'signal' belongs to a single request/],
    ['extend', 'idempotencyKey', 'k', /'idempotencyKey' belongs to a single request/],
    ['stream', 'fallback', () => 1, /'fallback' cannot stand in for a stream/],
  ] as const)('in %s: %s', (where, name, value, message) => {
    expect(() => checkOptions('quotes', where, { [name]: value })).toThrow(message);
  });

  test('an option set to undefined is as if it were not there', () => {
    expect(() =>
      checkOptions('quotes', 'request', { timeout: undefined, anything: undefined }),
    ).not.toThrow();
  });
});

test('allowed options of got reach got', async () => {
  const { client, server } = await scene({ body: '[1]' }, { client: { headers: { 'X-Team': 'a' } } });
  const seen: string[] = [];
  const response = await client.get('v1', {
    username: 'me',
    password: 'pw',
    headers: { 'X-Trace': 't' },
    parseJson: (text) => ({ text }),
    responseType: 'json',
    hooks: { beforeRequest: [(options) => void seen.push(String(options.url))] },
  });
  expect(response.body).toEqual({ text: '[1]' });
  expect(seen).toHaveLength(1);
  expect(server.hits[0]?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from('me:pw').toString('base64')}`,
    'x-team': 'a',
    'x-trace': 't',
  });
});

test('a header set to undefined is not sent', async () => {
  const { client, server } = await scene(200, { client: { headers: { 'x-team': 'a' } } });
  await client.get('v1', { headers: { 'x-team': undefined } });
  expect(server.hits[0]?.headers).not.toHaveProperty('x-team');
});

describe('an extended client', () => {
  test('adds its defaults to those it was made of', async () => {
    const { server, client } = await scene([503, 503, 503, 503]);
    const once = client.extend({ headers: { 'x-a': '1', 'x-b': '1' }, retry: false, operation: 'prices' });
    const error = await errorOf(once.extend({ headers: { 'x-b': '2' } }).get('v1'));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', attempts: 1, operation: 'prices' });
    expect(server.hits[0]?.headers).toMatchObject({ 'x-a': '1', 'x-b': '2' });
  });

  test('gives way to the options of a request', async () => {
    const { server, client } = await scene(503);
    const once = client.extend({ retry: false });
    await errorOf(once.get('v1', { retry: { attempts: 2 } }));
    expect(server.count()).toBe(2);
  });

  test('refuses what a client does not take', () => {
    const { client } = wire('http://127.0.0.1:1');
    expect(() => client.extend({ timeout: {} } as never)).toThrow(/'timeout'/);
  });
});
