import { describe, expect, test } from '@jest/globals';
import { memoryStore } from '@spillway/idempotency/memory';
import { manualClock } from '@spillway/testing';
import { createIdempotency, parseKey } from '../../src/index.js';
import { FRAMEWORKS } from '../support/frameworks.js';
import { Bench } from '../support/matrix.js';
import { eventually, gate, post } from '../support/wire.js';

// Vectors K1 to K8 of the standards page.
const STRICT: readonly (readonly [string, string, string | undefined])[] = [
  ['K1 a quoted string with a space', '"foo bar"', 'foo bar'],
  ['K2 an empty string', '""', undefined],
  ['K3 escapes', '"foo \\"bar\\" \\\\ baz"', 'foo "bar" \\ baz'],
  ['K4 single quotes', "'foo'", undefined],
  ['K4 no closing quote', '"foo', undefined],
  ['K4 an escape of something else', '"foo \\,"', undefined],
  ['K4 a tab inside', '"a\tb"', undefined],
  ['K4 a newline inside', '"a\nb"', undefined],
  ['K4 beyond ASCII', '"f\u00fc\u00fc"', undefined],
  ['K5 a leading space', ' "foo"', 'foo'],
  ['K5 a trailing space', '"foo" ', 'foo'],
  ['K5 a leading tab', '\t"foo"', undefined],
  ['K6 a parameter', '"k";a=1', 'k'],
  ['K7 no quotes', 'abc', undefined],
  ['K8 255 characters', `"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ['K8 256 characters', `"${'x'.repeat(256)}"`, undefined],
  ['a number', '42', undefined],
  ['a list', '"a", "b"', undefined],
  ['nothing', '', undefined],
];

describe('the syntax of a key', () => {
  test.each(STRICT)('strict: %s', (_what, value, key) => {
    expect(parseKey(value, false)).toBe(key);
  });

  test.each(STRICT.filter(([, value, key]) => key !== undefined || value.startsWith('"')))(
    'lenient takes a quoted one the same: %s',
    (_what, value, key) => {
      expect(parseKey(value, true)).toBe(key);
    },
  );

  test.each([
    ['K7 no quotes', 'abc', 'abc'],
    ['a UUID', '8e03978e-40d5-43e8-bc93-6894a57f9324', '8e03978e-40d5-43e8-bc93-6894a57f9324'],
    ['a number', '42', '42'],
    ['spaces around', '  abc ', 'abc'],
    ['255 characters', 'x'.repeat(255), 'x'.repeat(255)],
    ['256 characters', 'x'.repeat(256), undefined],
    ['a space inside', 'a b', undefined],
    ['a comma', 'a,b', undefined],
    ['a quote inside', 'a"b', undefined],
    ['a tab in front', '\tabc', undefined],
    ['beyond ASCII', 'f\u00fc', undefined],
  ])('lenient: %s', (_what, value, key) => {
    expect(parseKey(value, true)).toBe(key);
  });
});

describe.each(FRAMEWORKS)('over the wire: %s', (_name, framework) => {
  test('K7 quoted and bare name one record when lenient; strict refuses the bare one', async () => {
    const bench = new Bench();
    const lenient = await bench.serve(framework, { store: memoryStore(), required: true }, ({ send }, run) =>
      send(200, {}, { run }),
    );
    expect((await post(`${lenient.url}/p`, '"abc"')).json()).toEqual({ run: 1 });
    expect((await post(`${lenient.url}/p`, 'abc')).json()).toEqual({ run: 1 });
    const strict = await bench.serve(framework, { store: memoryStore(), lenient: false }, ({ send }) =>
      send(200, {}, {}),
    );
    expect((await post(`${strict.url}/p`, '"abc"')).status).toBe(200);
    expect((await post(`${strict.url}/p`, 'abc')).json()).toMatchObject({
      status: 400,
      code: 'ERR_IDEMPOTENCY_KEY_INVALID',
    });
    await bench.close();
  });

  test('K8 two header lines are refused, also when joined they would read as one string', async () => {
    const bench = new Bench();
    const app = await bench.serve(framework, { store: memoryStore(), required: true }, ({ send }) =>
      send(200, {}, {}),
    );
    for (const lines of [
      ['abc', 'abc'],
      ['"a', 'b"'],
    ]) {
      expect((await post(`${app.url}/p`, undefined, {}, { key: lines })).status).toBe(400);
    }
    expect(app.runs()).toBe(0);
    await bench.close();
  });

  test('K9 no key 400, other body 422, while running 409, afterwards the stored reply', async () => {
    const bench = new Bench();
    const finish = gate();
    const app = await bench.serve(framework, { store: memoryStore(), required: true }, async ({ send }) => {
      await finish.opened;
      return send(200, {}, { ok: true });
    });
    const missing = await post(`${app.url}/p`, undefined);
    expect(missing.headers['content-type']).toBe('application/problem+json');
    expect(missing.json()).toMatchObject({ status: 400, title: 'Idempotency-Key is missing' });
    expect(String(missing.json()['type'])).toMatch(/^https:\/\/.*\/idempotency-key-missing$/);
    const first = post(`${app.url}/p`, 'K', { a: 1 });
    await eventually('it runs', () => app.runs() === 1);
    expect((await post(`${app.url}/p`, 'K', { a: 2 })).status).toBe(422);
    expect((await post(`${app.url}/p`, 'K', { a: 1 })).status).toBe(409);
    finish.open();
    expect((await post(`${app.url}/p`, 'K', { a: 1 })).text).toBe((await first).text);
    await bench.close();
  });
});

test('K10 a lease of 90 s: a duplicate at 89 s is refused, at 91 s it runs, and the first one’s completion is not taken', async () => {
  const clock = manualClock();
  const ends: string[] = [];
  const idempotency = createIdempotency({
    store: memoryStore({ clock }),
    clock,
    lease: '90s',
    observe: (event) => {
      if (event.type === 'idempotency.end') ends.push(event.outcome);
    },
  });
  const first = gate();
  // A process that stands still renews nothing.
  const frozen = manualClock();
  const worker = createIdempotency({
    store: idempotency.store,
    clock: frozen,
    lease: '90s',
    observe: (event) => {
      if (event.type === 'idempotency.end') ends.push(`first: ${event.outcome}`);
    },
  });
  const slow = worker.run('k', {}, async () => {
    await first.opened;
    return 'late';
  });
  await clock.advance(89_000);
  await expect(idempotency.run('k', {}, () => 'no')).rejects.toMatchObject({
    code: 'ERR_IDEMPOTENCY_IN_PROGRESS',
    retryAfterMs: 1_000,
  });
  await clock.advance(2_000);
  expect(await idempotency.run('k', {}, () => 'second')).toMatchObject({
    value: 'second',
    replayed: false,
    attempt: 2,
  });
  first.open();
  expect(await slow).toMatchObject({ value: 'late' });
  expect(ends).toEqual(['completed', 'first: stale']);
  expect((await idempotency.run('k', {}, () => 'no')).value).toBe('second');
});
