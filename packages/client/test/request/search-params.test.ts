import { expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { mergeSearch } from '../../src/request/search-params.js';
import { errorOf, scene } from '../support/scene.js';

test('a later layer replaces the keys it names and leaves the others', () => {
  const merged = mergeSearch('quotes', [
    'a=1&b=1&b=2',
    new URLSearchParams('c=3'),
    { b: 9, d: true, e: null },
  ]);
  expect(merged).toBe('a=1&c=3&b=9&d=true&e=');
});

test('a key set to undefined is taken out', () => {
  expect(mergeSearch('quotes', ['a=1&b=2', { a: undefined }])).toBe('b=2');
});

test('several values for one key come from a URLSearchParams', () => {
  expect(mergeSearch('quotes', [{ a: 1 }, new URLSearchParams('a=2&a=3')])).toBe('a=2&a=3');
});

test('a value that is no scalar is refused with its name', () => {
  expect(() => mergeSearch('quotes', [{ list: [1, 2] }])).toThrow(/searchParams\.list.*URLSearchParams/);
});

test("a request's query merges client, extension, URL and its own options", async () => {
  const { server, spillway } = await scene(200, { client: { searchParams: { lang: 'en', page: 1 } } });
  const client = clients(spillway)('quotes').extend({ searchParams: { page: 2, unit: 'EUR' } });
  await client.get('v1?at=7&unit=USD', { searchParams: { at: 8 } });
  await client.get('v1');
  expect(server.hits.map(({ url }) => url)).toEqual([
    '/v1?lang=en&page=2&unit=USD&at=8',
    '/v1?lang=en&page=2&unit=EUR',
  ]);
});

test('a wrong value is refused before anything is sent', async () => {
  const { client, server } = await scene(200);
  const error = await errorOf(client.get('v1', { searchParams: { at: {} as never } }));
  expect(error).toMatchObject({ code: 'ERR_CONFIG' });
  expect(server.count()).toBe(0);
});
