import { describe, expect, it } from '@jest/globals';
import { isSpillwayError, type SpillwayError } from '@spillway/core';
import type { Exchange, ExchangeHandler, SuiteRoute } from './adapter.js';
import { get, type Scene, sleep, until } from './scene.js';

const DOWN = { quotes: { retry: false, breaker: false } } as const;

const asking: ExchangeHandler = async (exchange) => {
  await exchange.spillway.dependency('quotes').call(() => {
    throw Object.assign(new Error('down'), { status: 500 });
  });
};

const standIn: NonNullable<SuiteRoute['fallback']> = (failure, exchange) =>
  exchange.answer(200, { price: null, code: failure.code });

export function describeFallbacks(scene: Scene): void {
  const serve = (handler: ExchangeHandler, fallback: NonNullable<SuiteRoute['fallback']> = standIn) =>
    scene.start([get('/', handler, { fallback })], {
      dependencies: DOWN,
      // room for a busy machine between the moment of the fallback and that of the 504
      inbound: { deadline: { margin: '300ms' } },
    });

  describe(`the fallback of a route`, () => {
    it('answers for a failed dependency, says so, and is counted', async () => {
      const told: unknown[] = [];
      await serve(asking, (failure, exchange) => {
        told.push(failure.cause);
        standIn(failure, exchange);
      });
      const reply = await scene.ask();
      expect(reply).toMatchObject({ status: 200, headers: { 'x-degraded': 'quotes' } });
      expect(JSON.parse(reply.text)).toEqual({ price: null, code: 'ERR_UPSTREAM' });
      expect(told).toEqual([expect.objectContaining({ message: 'down' })]);
      expect(scene.events).toContainEqual(
        expect.objectContaining({ type: 'inbound.fallback', how: 'used', code: 'ERR_UPSTREAM' }),
      );
    });

    it('does not answer for other errors, nor for answers that are no failures', async () => {
      await serve(() => {
        throw new TypeError('a fault of the program');
      });
      expect((await scene.ask()).status).toBe(500);
      await serve((exchange) => exchange.answer(404, { found: false }));
      const reply = await scene.ask();
      expect(reply).toMatchObject({ status: 404, text: '{"found":false}' });
      expect(reply.headers['x-degraded']).toBeUndefined();
      expect(scene.count('inbound.fallback')).toBe(0);
    });

    it('answers before a deadline for a handler that does not, which comes too late', async () => {
      let ended = 0;
      await serve(async (exchange) => {
        await sleep(1200);
        ended++;
        exchange.answer(200, { late: true });
      });
      const reply = await scene.ask({ headers: { 'X-Request-Budget-Ms': '900' } });
      expect(reply.status).toBe(200);
      expect(JSON.parse(reply.text)).toEqual({ price: null, code: 'ERR_DEADLINE_EXCEEDED' });
      expect(await until(() => ended === 1)).toBe(true);
      await sleep(20);
      expect(scene.logs).toEqual([]);
      expect(scene.count('inbound.deadline')).toBe(0);
    });

    it('that fails itself gives its error, with the status of what it stood in for', async () => {
      const causes: unknown[] = [];
      await scene.start(
        [
          get('/', asking, {
            fallback: () => {
              throw new Error('no stand-in either');
            },
          }),
        ],
        {
          dependencies: DOWN,
          onError: (error: unknown, exchange: Exchange) => {
            const { cause, status } = error as { cause: unknown; status: number };
            causes.push(cause);
            exchange.answer(status, { message: (error as Error).message });
          },
        },
      );
      const reply = await scene.ask();
      expect(reply).toMatchObject({ status: 502, text: '{"message":"no stand-in either"}' });
      expect(reply.headers['x-degraded']).toBeUndefined();
      expect(causes.every((cause) => isSpillwayError(cause, 'ERR_UPSTREAM'))).toBe(true);
      expect(scene.events).toContainEqual(
        expect.objectContaining({ type: 'inbound.fallback', how: 'failed' }),
      );
    });

    it('has time of its own, and its calls too', async () => {
      const left: number[] = [];
      await serve(asking, async (failure: SpillwayError, exchange) => {
        left.push(exchange.spillway.remainingMs());
        await sleep(10);
        standIn(failure, exchange);
      });
      expect((await scene.ask()).status).toBe(200);
      expect(left[0]).toBeGreaterThan(0);
    });
  });
}
