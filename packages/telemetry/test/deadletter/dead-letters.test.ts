import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { createSpillway } from '@spillway/core';
import { deadLetters, redactPath } from '@spillway/telemetry/deadletter';
import { flakyServer } from '@spillway/testing';
import { cleanUp, directory, fails, lettered, linesOf } from './letters.js';

describe('a letter is written for an operation', () => {
  test('that failed, with what befell its attempts', async () => {
    const { spillway, read } = await lettered();
    await spillway.dependency('db').settle(fails, { idempotencyKey: 'order-1', operation: 'charge' });
    expect(await read()).toEqual([
      {
        time: expect.any(Number),
        service: 'shop',
        dependency: 'db',
        operation: 'charge',
        operation_id: 1,
        outcome: 'failed',
        code: 'ERR_UPSTREAM',
        stopped: 'attempts',
        sent: 'maybe',
        idempotency_key_hash: expect.stringMatching(/^[0-9a-f]{16}$/),
        attempts: 2,
        max_total_attempts: 2,
        elapsed_total_ms: expect.any(Number),
        failures: [
          { attempt: 1, kind: 'thrown', sent: 'maybe', duration_ms: expect.any(Number) },
          { attempt: 2, kind: 'thrown', sent: 'maybe', duration_ms: expect.any(Number) },
        ],
      },
    ]);
  });

  test('that was refused, without attempts', async () => {
    const { spillway, read } = await lettered();
    spillway.dependency('db').breaker.forceOpen();
    await spillway.dependency('db').settle(fails);
    expect(await read()).toMatchObject([
      { outcome: 'refused', code: 'ERR_BREAKER_OPEN', sent: 'no', attempts: 0, failures: [] },
    ]);
  });

  test('that a fallback mended, when asked for alone', async () => {
    const { spillway, read } = await lettered({ outcomes: ['degraded'] });
    await spillway.dependency('db').settle(fails, { fallback: () => 'stale' });
    await spillway.dependency('db').settle(fails);
    expect(await read()).toMatchObject([{ outcome: 'degraded', attempts: 1 }]);
  });

  test('and for no other', async () => {
    const { spillway, letters } = await lettered();
    const db = spillway.dependency('db');
    await db.call(() => 'fine');
    await db.call(fails, { fallback: () => 'stale' });
    await db.settle(() => 'late', { signal: AbortSignal.abort(new Error('gone')) });
    let calls = 0;
    const work = () => (calls++ === 0 ? fails() : 'fine');
    await db.call(work, { idempotent: true });
    await letters.flush();
    expect(letters.stats).toEqual({ written: 0, dropped: 0, queued: 0, faults: 0 });
  });

  test('with no more of its attempts than ten', async () => {
    const { spillway, read } = await lettered({}, { breaker: false, retry: { ...MANY, attempts: 14 } });
    await spillway.dependency('db').settle(fails, { idempotent: true });
    const [letter] = await read();
    expect(letter?.attempts).toBe(14);
    expect(letter?.failures.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

const MANY = { backoff: { base: 0, cap: 0, jitter: 'none' }, budget: false } as const;

describe('a letter of a request', () => {
  async function sent(path: string, options: Parameters<typeof lettered>[0] = {}) {
    const server = await flakyServer(500);
    cleanUp(() => server.close());
    const file = join(await directory(), 'dead.jsonl');
    const spillway = createSpillway<{ api: never }>({
      dependencies: { api: { baseUrl: server.url, retry: false } },
    });
    cleanUp(() => spillway.close());
    const letters = deadLetters(spillway, { file, ...options });
    const request = clients(spillway)('api').post(path, {
      headers: { authorization: 'Bearer hunter2', cookie: 'hunter2' },
      json: { card: 'hunter2' },
      idempotencyKey: 'hunter2',
    });
    await expect(request).rejects.toThrow('api failed');
    await letters.close();
    return { letter: (await linesOf(file))[0], server };
  }

  test('says where it went, without ids, query, headers and body', async () => {
    const { letter, server } = await sent('v1/users/hunter2/cards/17?token=hunter2');
    expect(letter).toMatchObject({
      method: 'POST',
      origin: server.url,
      path: '/v1/users/:id/cards/:id',
      operation: 'POST',
      failures: [{ kind: 'server-error', status: 500, sent: 'answered' }],
    });
    expect(JSON.stringify(letter)).not.toContain('hunter2');
  });

  test('says nothing of its path when asked not to', async () => {
    const { letter } = await sent('v1/users/7', { path: false });
    expect(letter).not.toHaveProperty('path');
  });

  test('shows its path as it is when asked to, but no query', async () => {
    const { letter } = await sent('v1/users/7?token=hunter2', { path: 'full' });
    expect(letter?.path).toBe('/v1/users/7');
  });

  test('shows the template that a function gives', async () => {
    const { letter } = await sent('v1/users/7', { path: (path) => path.replace(/\d+$/, '{user}') });
    expect(letter?.path).toBe('/v1/users/{user}');
  });
});

describe('redactPath', () => {
  test.each([
    ['/', '/'],
    ['/v1/quotes', '/v1/quotes'],
    ['/v1/quotes/ACME', '/v1/quotes/:id'],
    ['/users/alice', '/users/:id'],
    ['/user/alice/settings/theme', '/user/:id/settings/:id'],
    ['/tenant/acme/quote', '/tenant/:id/quote'],
    ['/find-by/alice', '/find-by/:id'],
    ['/people/alice', '/people/:id'],
    ['/users/alice/orders/17', '/users/:id/orders/:id'],
    ['/orders/0190b0d2-7b1c-7f6e-9a3a-6d2b8c1f0e5d/items', '/orders/:id/items'],
    ['/mail/alice@example.com', '/mail/:id'],
    ['/files/..%2Fetc', '/files/:id'],
    ['/token/eyJhbGciOi', '/token/:id'],
    ['/health-check/live', '/health-check/live'],
    ['/search?q=secret#secret', '/search'],
    [`/${'a'.repeat(40)}`, '/:id'],
  ])('%s becomes %s', (path, shown) => {
    expect(redactPath(path)).toBe(shown);
  });
});

describe('options that are refused', () => {
  test.each<[string, object, string]>([
    ['no file', { file: '' }, 'file:  is no path'],
    ['files too small for a letter', { maxBytes: 100 }, 'maxBytes: 100 is out of range'],
    [
      'a number of files below none',
      { keep: -1 },
      'keep: -1 is out of range; give a whole number from 0 to 100',
    ],
    ['a queue without places', { queue: 0 }, 'queue: 0 is out of range'],
    [
      'a single outcome',
      { outcomes: 'failed' },
      'outcomes: "failed" is no list of failed, refused, degraded',
    ],
    ['an outcome that is none', { outcomes: ['fail'] }, 'outcomes: ["fail"] is no list'],
    ['an option that is none', { maxbytes: 20_000 }, 'maxbytes is no option; there are file, maxBytes'],
    ['an unknown way to show paths', { path: 'hashed' }, "path: 'hashed' is none of"],
  ])('%s', (_name, options, message) => {
    const make = () => deadLetters(createSpillway({}), { file: 'x', ...options } as never);
    expect(make).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(message) }),
    );
  });
});
