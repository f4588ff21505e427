import { describe, expect, test } from '@jest/globals';
import { isSpillwayError } from '@spillway/core';
import fc from 'fast-check';
import { baseOf, confine, isPlainPath } from '../../src/request/confine.js';
import { errorOf, scene } from '../support/scene.js';

const deep = baseOf('quotes', new URL('http://quotes.internal/api/v1'));
const root = baseOf('quotes', new URL('http://quotes.internal'));

describe('a URL inside the base', () => {
  test.each([
    ['price/ACME', 'http://quotes.internal/api/v1/price/ACME'],
    ['price/ACME?at=1#x', 'http://quotes.internal/api/v1/price/ACME?at=1#x'],
    ['/api/v1/price', 'http://quotes.internal/api/v1/price'],
    ['', 'http://quotes.internal/api/v1'],
    ['?at=1', 'http://quotes.internal/api/v1?at=1'],
    ['NYSE:ACME', 'http://quotes.internal/api/v1/NYSE:ACME'],
    ['http:evil', 'http://quotes.internal/api/v1/http:evil'],
    ['a..b/..c/d..', 'http://quotes.internal/api/v1/a..b/..c/d..'],
    ['./a', 'http://quotes.internal/api/v1/a'],
    ['..%2F..%2Fadmin', 'http://quotes.internal/api/v1/..%2F..%2Fadmin'],
    ['a?next=../../b', 'http://quotes.internal/api/v1/a?next=../../b'],
    ['http://quotes.internal/api/v1/a', 'http://quotes.internal/api/v1/a'],
    ['http://quotes.internal/api/v1', 'http://quotes.internal/api/v1'],
    ['HTTP://QUOTES.internal:80/api/v1/a', 'http://quotes.internal/api/v1/a'],
  ])('%j becomes %j', (input, expected) => {
    expect(confine(deep, input).href).toBe(expected);
  });

  test('may begin with a slash when the base has no path', () => {
    expect(confine(root, '/price').href).toBe('http://quotes.internal/price');
  });

  test('may be a URL object, which is not changed', () => {
    const url = new URL('http://quotes.internal/api/v1/a');
    confine(deep, url).searchParams.set('x', '1');
    expect(url.href).toBe('http://quotes.internal/api/v1/a');
  });
});

describe('a URL that would leave the base is refused', () => {
  test.each([
    ['../admin'],
    ['..'],
    ['a/../../b'],
    ['a/../b'],
    ['%2e%2e/admin'],
    ['.%2E/admin'],
    ['a/%2e./b'],
    ['//evil.example/a'],
    ['/admin'],
    ['/api/v10'],
    ['\\\\evil.example\\a'],
    ['a\\..\\b'],
    ['.\t./admin'],
    ['\n//evil.example'],
    [' //evil.example'],
    ['http://evil.example/api/v1/a'],
    ['https://quotes.internal/api/v1/a'],
    ['http://quotes.internal:8080/api/v1/a'],
    ['http://quotes.internal/api/v10'],
    ['http://quotes.internal/api/v1/../../admin'],
    ['http://user:secret@quotes.internal/api/v1/a'],
    ['http://quotes.internal@evil.example/api/v1/a'],
    ['file:///etc/passwd'],
    ['http://'],
  ])('%j', (input) => {
    expect(() => confine(deep, input)).toThrow(expect.objectContaining({ code: 'ERR_CONFIG', sent: 'no' }));
  });

  test('as a URL object too', () => {
    expect(() => confine(deep, new URL('http://evil.example/api/v1/a'))).toThrow(/origin/);
  });

  test('and neither its query nor its credentials are quoted', () => {
    const tell = (input: string) => {
      try {
        confine(deep, input);
      } catch (error) {
        return String(error);
      }
      return '';
    };
    expect(tell('../a?token=hunter2')).toMatch(/leave its baseUrl.*'\.\.' segment/);
    expect(tell('../a?token=hunter2')).not.toContain('hunter2');
    expect(tell('http://user:hunter2@quotes.internal/api/v1/a')).not.toContain('hunter2');
    expect(tell('http://x.example/hunter2?hunter2')).not.toContain('hunter2');
  });
});

test('whatever the text, the URL is refused or stays under origin and path of the base', () => {
  const piece = fc.constantFrom(
    '..',
    '%2e',
    '.',
    '/',
    '//',
    '\\',
    '@',
    ':',
    'http:',
    'evil.example',
    'a',
    '?',
    '#',
    '\t',
    ' ',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  );
  let inside = 0;
  fc.assert(
    fc.property(text, (input) => {
      let url: URL;
      try {
        url = confine(deep, input);
      } catch (error) {
        return isSpillwayError(error, 'ERR_CONFIG');
      }
      inside++;
      const isUnder = url.pathname === '/api/v1' || url.pathname.startsWith('/api/v1/');
      return url.origin === 'http://quotes.internal' && isUnder && url.username === '';
    }),
    { numRuns: 2000 },
  );
  expect(inside).toBeGreaterThan(100);
});

test('a path that is appended unparsed is what the parser would have made of it', () => {
  const piece = fc.constantFrom(
    '..',
    '%2e',
    '%2F',
    '.',
    '/',
    ':',
    '@',
    'a',
    '~',
    "'",
    '(',
    '*',
    '%',
    '?',
    ' ',
    '\u00e4',
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  );
  let plain = 0;
  fc.assert(
    fc.property(text, (input) => {
      if (!isPlainPath(input)) return true;
      plain++;
      return confine(deep, input).href === deep.root + input;
    }),
    { numRuns: 5000 },
  );
  expect(plain).toBeGreaterThan(100);
});

test('a client rejects such a URL before anything is sent', async () => {
  const { client, server, spillway } = await scene(200);
  const error = await errorOf(client.get('../admin').json());
  expect(error).toMatchObject({ code: 'ERR_CONFIG', dependency: 'quotes', status: 500 });
  const stream = client.stream('//evil.example/a');
  const streamed = await new Promise((resolve) => stream.once('error', resolve));
  expect(streamed).toMatchObject({ code: 'ERR_CONFIG' });
  expect(server.count()).toBe(0);
  expect(spillway.snapshot().dependencies[0]).toMatchObject({ name: 'quotes' });
});
