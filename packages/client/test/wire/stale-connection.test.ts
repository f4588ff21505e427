import { describe, expect, test } from '@jest/globals';
import { OK, rawServer } from '../support/raw-server.js';
import { errorOf, wire } from '../support/scene.js';

describe('a reset of a reused connection before any byte', () => {
  const dropsSecond = () =>
    rawServer((socket, connection, request) => {
      if (connection === 1 && request === 2) socket.resetAndDestroy();
      else socket.write(OK);
    });

  test('is resent at once on a fresh one, under the same attempt number and at no cost', async () => {
    const { url, seen } = await dropsSecond();
    const { client, events } = wire(url, { retry: false });
    await client.get('a');
    expect(await client.get('b').text()).toBe('ok');
    expect(seen).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
    expect(events.filter(({ type }) => type === 'attempt.resend')).toHaveLength(1);
    expect(events.filter(({ type }) => type === 'attempt.start')).toHaveLength(2);
  });

  test('is the failure it is for a POST', async () => {
    const { url, seen } = await dropsSecond();
    const { client } = wire(url);
    await client.get('a');
    const error = await errorOf(client.post('b', { body: 'x' }));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      stopped: 'not-idempotent',
      sent: 'maybe',
      status: 502,
    });
    expect(seen).toHaveLength(2);
  });

  test('is resent for a POST with a key', async () => {
    const { url, seen } = await dropsSecond();
    const { client } = wire(url, { retry: false });
    await client.get('a');
    await client.post('b', { body: 'x', idempotencyKey: 'k' });
    expect(seen).toHaveLength(3);
  });

  test('is not resent with a body that can be sent once', async () => {
    const { url, seen } = await dropsSecond();
    const { client } = wire(url);
    await client.get('a');
    const error = await errorOf(
      client.put('b', {
        body: (function* () {
          yield Buffer.from('x');
        })(),
      }),
    );
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'body-not-replayable' });
    expect(seen).toHaveLength(2);
  });

  test('is resent once: a second reset is a failure', async () => {
    const { url, seen } = await rawServer((socket, connection, request) => {
      if (connection === 1 && request === 1) socket.write(OK);
      else socket.resetAndDestroy();
    });
    const { client } = wire(url, { retry: false });
    await client.get('a');
    expect(await errorOf(client.get('b'))).toMatchObject({
      code: 'ERR_UPSTREAM',
      attempts: 1,
      sent: 'maybe',
    });
    expect(seen).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
  });

  test('after a byte of the answer it is an ordinary reset', async () => {
    const { url, seen } = await rawServer((socket, connection, request) => {
      if (connection === 1 && request === 1) socket.write(OK);
      else socket.write('HTTP/1.1 2', () => setTimeout(() => socket.resetAndDestroy(), 20));
    });
    const { client, events } = wire(url, { retry: false });
    await client.get('a');
    expect(await errorOf(client.get('b'))).toMatchObject({ code: 'ERR_UPSTREAM', sent: 'maybe' });
    expect(seen).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'attempt.resend')).toHaveLength(0);
  });

  test('on a new connection it is an ordinary reset', async () => {
    const { url } = await rawServer((socket) => socket.resetAndDestroy());
    const { client, events } = wire(url, { retry: false });
    expect(await errorOf(client.get('a'))).toMatchObject({ code: 'ERR_UPSTREAM', sent: 'maybe' });
    expect(events.find(({ type }) => type === 'attempt.end')).toMatchObject({
      kind: 'reset',
      result: 'failure',
    });
  });
});
