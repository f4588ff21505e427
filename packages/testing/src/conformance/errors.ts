import { describe, expect, it } from '@jest/globals';
import { spillwayError } from '@spillway/core';
import type { Exchange, ExchangeHandler } from './adapter.js';
import type { Scene } from './scene.js';

/** A dependency that fails as it is told. */
const failing =
  (status: number, headers: Record<string, string> = {}): ExchangeHandler =>
  async (exchange) => {
    await exchange.spillway.dependency('quotes').call(
      () => {
        throw Object.assign(new Error('secret of the dependency'), { status, headers });
      },
      { idempotent: true },
    );
  };

const QUOTES = { quotes: { retry: { attempts: 2, backoff: { base: '1ms' } }, breaker: false } } as const;

const refusing: ExchangeHandler = () => {
  throw spillwayError('ERR_BREAKER_OPEN', 'The breaker of quotes is open', {
    dependency: 'quotes',
    retryAfterMs: 4200,
  });
};

export function describeErrors(scene: Scene): void {
  describe(`Spillway's errors`, () => {
    it.each(['development', 'production', 'test'])(
      'get 503 and Retry-After of the default error handler, and show no stack, with NODE_ENV=%s',
      async (environment) => {
        const before = process.env['NODE_ENV'];
        process.env['NODE_ENV'] = environment;
        try {
          await scene.serve(refusing);
          const reply = await scene.ask();
          expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
          expect(reply.text).not.toMatch(/\bat .*[:(]|\.[cm]?[jt]s\b|node_modules/);
        } finally {
          process.env['NODE_ENV'] = before;
        }
      },
    );

    it('show nothing of their cause', async () => {
      await scene.serve(failing(503), { dependencies: QUOTES });
      const reply = await scene.ask();
      expect(reply.status).toBe(502);
      expect(reply.text).not.toContain('secret');
      expect(reply.text).not.toMatch(/\bat .*[:(]|\.[cm]?[jt]s\b/);
    });

    it('get Retry-After when an error handler of the application answers 503 itself', async () => {
      await scene.serve(refusing, {
        onError: (_error: unknown, exchange: Exchange) => exchange.answer(503, { own: true }),
      });
      expect((await scene.ask()).headers['retry-after']).toBeUndefined();
      await scene.serve(
        async (exchange) => {
          await exchange.spillway.dependency('quotes').call(() => 1);
        },
        {
          dependencies: { quotes: { breaker: { openFor: '5s' } } },
          onError: (_error: unknown, exchange: Exchange) => exchange.answer(503, { own: true }),
        },
      );
      scene.spillway.dependency('quotes').breaker.forceOpen();
      expect(await scene.ask()).toMatchObject({
        status: 503,
        headers: { 'retry-after': '5' },
        text: '{"own":true}',
      });
    });

    it('get problem details of the optional error handler, which passes others on', async () => {
      await scene.serve(refusing, { problemDetails: true });
      const reply = await scene.ask();
      expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
      expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/);
      expect(JSON.parse(reply.text)).toMatchObject({
        code: 'ERR_BREAKER_OPEN',
        service: 'suite',
        status: 503,
      });
      await scene.serve(
        () => {
          throw Object.assign(new Error('own'), { status: 418, statusCode: 418 });
        },
        { problemDetails: true },
      );
      expect((await scene.ask()).status).toBe(418);
    });
  });

  describe(`who owns the retries`, () => {
    it('is said on a failure that was retried here, whoever answers it', async () => {
      await scene.serve(failing(500), { dependencies: QUOTES });
      expect((await scene.ask()).headers['x-should-retry']).toBe('false');
      await scene.serve(failing(500), {
        dependencies: QUOTES,
        onError: (_error: unknown, exchange: Exchange) => exchange.answer(502, { own: true }),
      });
      expect(await scene.ask()).toMatchObject({ status: 502, headers: { 'x-should-retry': 'false' } });
    });

    it('is not said on a first refusal of our own, nor on an answer that is no failure', async () => {
      await scene.serve(refusing);
      expect((await scene.ask()).headers['x-should-retry']).toBeUndefined();
      await scene.serve(
        async (exchange) => {
          await Promise.resolve(failing(500)(exchange)).catch(() => undefined);
          exchange.answer(200, { mended: true });
        },
        { dependencies: QUOTES },
      );
      expect((await scene.ask()).headers['x-should-retry']).toBeUndefined();
    });

    it('is said on what a trusted caller asks for again, and never because a stranger says so', async () => {
      const own: ExchangeHandler = (exchange) => exchange.answer(500, { own: true });
      const again = { headers: { 'X-Request-Attempt': '2' } };
      await scene.serve(own, { inbound: { trust: ['127.0.0.1/32', '::1/128'] } });
      expect((await scene.ask(again)).headers['x-should-retry']).toBe('false');
      expect((await scene.ask()).headers['x-should-retry']).toBeUndefined();
      await scene.serve(own);
      expect((await scene.ask(again)).headers['x-should-retry']).toBeUndefined();
    });
  });
}
