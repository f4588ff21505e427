import { expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { createSpillway } from '@spillway/core';
import { flakyServer } from '@spillway/testing';
import { cleanUp, endOf, wire } from '../support/scene.js';

test('an attempt whose time went into making its body says nothing about the dependency', async () => {
  const server = await flakyServer([200]);
  cleanUp(() => server.close());
  const set = wire(server.url, {
    attempt: { timeout: '60ms' },
    retry: false,
    breaker: { consecutive: 1 },
  });
  const body = () => new Promise<string>(() => undefined);
  const error = await set.client.put('v1', { body: body as never }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'ERR_UPSTREAM', sent: 'no' });
  expect(endOf(set)).toMatchObject({ result: 'ignored' });
  expect(set.spillway.dependency('quotes').breaker.state).toBe('closed');
  expect(server.hits).toHaveLength(0);
});

test('a connection that never comes about is the failure of the dependency', async () => {
  // an address of the loopback network where nobody accepts: the connection is refused, or never answered
  const spillway = createSpillway({
    dependencies: {
      quotes: {
        baseUrl: 'http://127.0.0.1:9',
        attempt: { timeout: '200ms' },
        retry: false,
        breaker: { consecutive: 1 },
      },
    },
  });
  cleanUp(() => spillway.close());
  const outcome = await clients(spillway)('quotes')
    .get('v1')
    .then(
      () => undefined,
      (reason: unknown) => reason,
    );
  expect(outcome).toMatchObject({ code: 'ERR_UPSTREAM', sent: 'no', status: 503 });
  expect(spillway.dependency('quotes').breaker.state).toBe('open');
});
