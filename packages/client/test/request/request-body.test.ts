import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { requestBody } from '../../src/request/request-body.js';
import { errorOf, type Scene, scene } from '../support/scene.js';

const sent = ({ server }: Scene) =>
  server.hits.map(({ body, headers }) => [body, headers['content-type'], headers['content-length']]);

describe('a body that can be sent again is sent in full on every attempt', () => {
  test.each([
    ['text', { body: 'héllo' }, ['héllo', undefined, '6']],
    ['a Buffer', { body: Buffer.from('bytes') }, ['bytes', undefined, '5']],
    ['a typed array', { body: new Uint16Array([0x6161, 0x6262]) }, ['aabb', undefined, '4']],
    ['JSON', { json: { a: [1] } }, ['{"a":[1]}', 'application/json', '9']],
    ['JSON null', { json: null }, ['null', 'application/json', '4']],
    ['a form', { form: { a: 'x y', b: 1 } }, ['a=x+y&b=1', 'application/x-www-form-urlencoded', '9']],
    [
      'URLSearchParams',
      { body: new URLSearchParams({ a: '1' }) },
      ['a=1', 'application/x-www-form-urlencoded', '3'],
    ],
    [
      'JSON of a type of its own',
      { json: 1, headers: { 'Content-Type': 'application/hal+json' } },
      ['1', 'application/hal+json', '1'],
    ],
    [
      'JSON through stringifyJson',
      { json: 1, stringifyJson: () => '"one"' },
      ['"one"', 'application/json', '5'],
    ],
    ['an empty text', { body: '' }, ['', undefined, '0']],
  ])('%s', async (_name, options, expected) => {
    const set = await scene([500, 500, 200]);
    await set.client.put('v1', options);
    expect(sent(set)).toEqual([expected, expected, expected]);
  });

  test('and a type from the defaults is kept', async () => {
    const set = await scene(200, { client: { headers: { 'Content-Type': 'application/hal+json' } } });
    await set.client.put('v1', { json: 1 });
    expect(sent(set)).toEqual([['1', 'application/hal+json', '1']]);
  });

  test('the same bytes, whatever becomes of the object meanwhile', async () => {
    const order = { state: 'new' };
    const change = () => {
      order.state = 'changed';
      return 503;
    };
    const set = await scene([change, 200]);
    await set.client.put('v1', { json: order });
    expect(set.server.hits.map(({ body }) => body)).toEqual(['{"state":"new"}', '{"state":"new"}']);
  });
});

describe('a body that is read once is sent once', () => {
  const once: [string, () => unknown][] = [
    ['a stream', () => Readable.from(['one ', 'body'])],
    [
      'a generator',
      () =>
        (function* () {
          yield Buffer.from('one body');
        })(),
    ],
    [
      'an async generator',
      () =>
        (async function* () {
          yield Buffer.from('one body');
        })(),
    ],
    ['a web stream', () => new Blob(['one body']).stream()],
  ];
  test.each(once)('%s', async (_name, body) => {
    const set = await scene([503, 200]);
    const error = await errorOf(set.client.put('v1', { body: body() as never }));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 503,
      stopped: 'body-not-replayable',
      attempts: 1,
    });
    expect(set.server.hits.map((hit) => hit.body)).toEqual(['one body']);
  });

  test('also where the connection was refused: nobody knows how much of it was read', async () => {
    const set = await scene(200);
    await set.server.down('refuse');
    const error = await errorOf(set.client.put('v1', { body: Readable.from(['x']) }));
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'body-not-replayable', sent: 'no' });
  });

  test('a FormData too', async () => {
    const form = new FormData();
    form.set('file', 'content');
    const set = await scene([503, 200]);
    expect(await errorOf(set.client.put('v1', { body: form as never }))).toMatchObject({
      stopped: 'body-not-replayable',
    });
    expect(set.server.hits[0]?.body).toContain('content');
  });
});

describe('a function makes the body of each attempt', () => {
  test('streams are sent in full, and earlier ones destroyed', async () => {
    const made: Readable[] = [];
    const body = () => {
      const stream = Readable.from(['full ', 'body ', String(made.length)]);
      made.push(stream);
      return stream;
    };
    const set = await scene([503, 503, 200]);
    await set.client.put('v1', { body });
    expect(set.server.hits.map((hit) => hit.body)).toEqual(['full body 0', 'full body 1', 'full body 2']);
    expect(made.map((stream) => stream.destroyed)).toEqual([true, true, true]);
  });

  test('it may take its time, and make text as well', async () => {
    let n = 0;
    const set = await scene([503, 200]);
    await set.client.put('v1', { body: async () => `body ${++n}` });
    expect(set.server.hits.map((hit) => hit.body)).toEqual(['body 1', 'body 2']);
  });

  test("one that throws is the caller's mistake: its own error, and nothing was sent", async () => {
    const set = await scene(200);
    const mistake = new Error('no such file');
    const body = () => {
      throw mistake;
    };
    expect(await errorOf(set.client.put('v1', { body }))).toBe(mistake);
    expect(set.server.count()).toBe(0);
    expect(set.events.find(({ type }) => type === 'attempt.end')).toMatchObject({
      kind: 'misuse',
      result: 'ignored',
    });
  });

  test('a stream that comes when its attempt is over is destroyed', async () => {
    const late = Readable.from(['x']);
    let make: (body: Readable) => void = () => undefined;
    const body = () =>
      new Promise<Readable>((resolve) => {
        make = resolve;
      });
    const set = await scene(200, { deadline: '30ms', retry: false });
    expect(await errorOf(set.client.put('v1', { body }))).toMatchObject({ sent: 'no' });
    make(late);
    await new Promise((resolve) => late.once('close', resolve));
    expect(set.server.count()).toBe(0);
  });
});

test('a body stream that fails is no failure of the dependency', async () => {
  const broken = new Readable({
    read() {
      this.destroy(new Error('disk gone'));
    },
  });
  const set = await scene(200);
  const error = await errorOf(set.client.put('v1', { body: () => broken }));
  expect(error.message).toBe('disk gone');
  expect(set.events.find(({ type }) => type === 'attempt.end')).toMatchObject({
    kind: 'misuse',
    result: 'ignored',
  });
});

test('body, json and form exclude each other', () => {
  expect(() => requestBody('quotes', { json: 1, form: {} }, JSON.stringify)).toThrow(/exclude each other/);
});

test("a body on a GET is got's TypeError, and nothing is sent", async () => {
  const set = await scene(200);
  expect(await errorOf(set.client.get('v1', { json: 1 }))).toMatchObject({ name: 'TypeError' });
  expect(set.server.count()).toBe(0);
});

test("what cannot be serialised rejects with the serialiser's own error", async () => {
  const set = await scene(200);
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  expect(await errorOf(set.client.post('v1', { json: circular }))).toMatchObject({ name: 'TypeError' });
  expect(set.server.count()).toBe(0);
});

test('a POST without a body is sent with length 0', async () => {
  const set = await scene(200);
  await set.client.post('v1');
  expect(sent(set)).toEqual([['', undefined, '0']]);
});
