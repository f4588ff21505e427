import { describe, expect, it } from '@jest/globals';
import type { Exchange } from './adapter.js';
import { get, post, type Scene, sleep, until } from './scene.js';

export function describeDisconnects(scene: Scene): void {
  /** What became of the signals of requests, by path. */
  const watching = (told: string[], ms: number) => async (exchange: Exchange) => {
    const { signal } = exchange.spillway;
    signal.addEventListener('abort', () => told.push((signal.reason as { code: string }).code));
    await sleep(ms);
    exchange.answer(200, { aborted: signal.aborted });
  };

  describe('a client that leaves', () => {
    it('cancels the work of a GET at once, with a reason', async () => {
      const told: string[] = [];
      await scene.serve(watching(told, 300));
      const client = await scene.connect();
      client.get();
      await until(() => scene.inFlight === 1);
      client.hangUp();
      expect(await until(() => told.length > 0, 250)).toBe(true);
      expect(told).toEqual(['ERR_CANCELLED']);
      expect(await until(() => scene.count('inbound.end') === 1)).toBe(true);
      expect(scene.events).toContainEqual(
        expect.objectContaining({ type: 'inbound.end', outcome: 'aborted' }),
      );
    });

    it('lets the work of a POST finish, unless its route says otherwise', async () => {
      const told: string[] = [];
      await scene.start([
        post('/pay', watching(told, 150), { body: 'json' }),
        post('/search', watching(told, 600), { body: 'json', options: { onDisconnect: 'cancel' } }),
      ]);
      for (const path of ['/pay', '/search']) {
        const client = await scene.connect();
        client.post(path, '{"a":1}');
        const before = scene.count('inbound.admitted');
        await until(() => scene.count('inbound.admitted') > before || scene.inFlight > 0);
        await sleep(60);
        client.hangUp();
        if (path === '/pay') await sleep(200);
        else await until(() => told.length > 0);
        expect(told).toEqual(path === '/pay' ? [] : ['ERR_CANCELLED']);
      }
    });

    it('is not mistaken for one whose body has been read', async () => {
      const told: string[] = [];
      await scene.start([
        post('/json', watching(told, 100), { body: 'json', options: { onDisconnect: 'cancel' } }),
      ]);
      const reply = await scene.ask({
        method: 'POST',
        path: '/json',
        headers: { 'Content-Type': 'application/json' },
        body: '{"a":1}',
      });
      expect(reply).toMatchObject({ status: 200, text: '{"aborted":false}' });
      await sleep(20);
      expect(told).toEqual([]);
    });

    it('ends the call to a dependency, is no failure of it, and brings no retry', async () => {
      let calls = 0;
      let aborted = false;
      await scene.serve(
        async (exchange) => {
          await exchange.spillway.dependency('slow').call(
            ({ signal }) => {
              calls++;
              return new Promise((_resolve, reject) => {
                signal.addEventListener('abort', () => {
                  aborted = true;
                  reject(new Error('cut'));
                });
              });
            },
            { idempotent: true },
          );
        },
        { dependencies: { slow: { retry: { backoff: { base: '1ms' } } } } },
      );
      const client = await scene.connect();
      client.get();
      await until(() => calls === 1);
      client.hangUp();
      expect(await until(() => aborted, 250)).toBe(true);
      await sleep(60);
      expect(calls).toBe(1);
      const [slow] = scene.spillway.snapshot().dependencies;
      expect(slow).toMatchObject({ inFlight: 0 });
      expect(scene.events.filter(({ type }) => type === 'attempt.end')).toEqual([
        expect.objectContaining({ result: 'ignored', kind: 'cancelled' }),
      ]);
      expect(scene.inFlight).toBe(0);
      expect(scene.logs.filter((line) => /secret|at .*\.ts:\d/.test(line))).toEqual([]);
    });

    it('leaves nothing behind when its handler answers afterwards', async () => {
      let answered = 0;
      await scene.start([
        get('/', async (exchange) => {
          await sleep(60);
          answered++;
          exchange.answer(200, { secret: 'for nobody' });
        }),
      ]);
      const client = await scene.connect();
      client.get();
      await until(() => scene.inFlight === 1);
      client.hangUp();
      expect(await until(() => answered === 1)).toBe(true);
      await sleep(20);
      expect(scene.logs.join()).not.toContain('secret');
      expect(scene.inFlight).toBe(0);
    });
  });
}
