import { expect, test } from '@jest/globals';
import { scene } from '../support/scene.js';
import { clientsAreTyped, fallbacksOfARequestAreTyped, optionsAreTyped } from './client.test-d.js';

// what does not compile is held by client.test-d.ts, which `tsc -p packages/client/test` checks
test('what compiles as an option is also accepted when it runs', async () => {
  const { client, server } = await scene({ body: '{}' });
  expect([clientsAreTyped, fallbacksOfARequestAreTyped, optionsAreTyped].map(({ length }) => length)).toEqual(
    [0, 1, 1],
  );
  await client.get('v1', {
    deadline: '1s',
    searchParams: { a: 1 },
    headers: { a: 'b' },
    retry: { attempts: 2 },
  });
  await client.put('v1', { body: () => 'text', idempotencyKey: true, signal: new AbortController().signal });
  expect(server.count()).toBe(2);
});
