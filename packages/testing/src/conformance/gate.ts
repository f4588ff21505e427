import { describe, expect, it } from '@jest/globals';
import type { ExchangeHandler } from './adapter.js';
import { get, ok, post, type Scene, sleep, until } from './scene.js';

/** A handler that works until it is told to answer. */
function held(): { handler: ExchangeHandler; release: () => void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const handler: ExchangeHandler = async (exchange) => {
    await released;
    ok(exchange);
  };
  return { handler, release };
}

const FULL = { concurrency: 1 } as const;

export function describeGate(scene: Scene): void {
  describe(`the gate`, () => {
    it('refuses with 503, Retry-After and problem details, and reads no body', async () => {
      const { handler, release } = held();
      let runs = 0;
      await scene.start([get('/held', handler), post('/json', () => void runs++, { body: 'json' })], {
        inbound: FULL,
      });
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      const reply = await scene.ask({
        method: 'POST',
        path: '/json',
        headers: { 'Content-Type': 'application/json' },
        body: '{"not json',
      });
      expect(reply.status).toBe(503);
      expect(reply.headers['content-type']).toBe('application/problem+json');
      expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(JSON.parse(reply.text)).toMatchObject({ code: 'ERR_OVERLOADED', service: 'suite' });
      expect(runs).toBe(0);
      release();
      expect((await first).status).toBe(200);
      expect(scene.logs).toEqual([]);
    });

    it('refuses URLs that nobody serves, and OPTIONS, with 503 too', async () => {
      const { handler, release } = held();
      await scene.start([get('/held', handler)], { inbound: FULL });
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      for (const question of [{ path: '/nobody' }, { path: '/held', method: 'OPTIONS' as const }]) {
        const reply = await scene.ask(question);
        expect(reply.status).toBe(503);
        expect(reply.headers['retry-after']).toBeDefined();
      }
      release();
      await first;
      expect((await scene.ask('/nobody')).status).toBe(404);
    });

    it('lets exempt paths pass, query and all, and counts them not', async () => {
      const { handler, release } = held();
      await scene.start([get('/held', handler), get('/health', ok)], { inbound: FULL, exempt: ['/health'] });
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      expect((await scene.ask('/health?probe=1')).status).toBe(200);
      expect(scene.spillway.snapshot().inbound.inFlight).toBe(1);
      release();
      await first;
    });

    it('lets everything pass where it only observes', async () => {
      const { handler, release } = held();
      await scene.start([get('/held', handler), get('/', ok)], {
        inbound: { concurrency: { limit: 1, mode: 'observe' } },
      });
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      expect((await scene.ask()).status).toBe(200);
      expect(scene.events).toContainEqual(
        expect.objectContaining({ type: 'inbound.refused', observed: true }),
      );
      release();
      await first;
    });

    it('lets a request wait in its queue, and gives the place of one that leaves to the next', async () => {
      const { handler, release } = held();
      await scene.start([get('/held', handler), get('/', ok)], {
        inbound: { concurrency: { limit: 1, queue: { size: 2, wait: '5s' } } },
      });
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      const gone = await scene.connect();
      gone.get();
      await until(() => scene.spillway.snapshot().inbound.queued === 1);
      const second = scene.ask();
      await until(() => scene.spillway.snapshot().inbound.queued === 2);
      gone.hangUp();
      await until(() => scene.spillway.snapshot().inbound.queued === 1);
      release();
      expect([(await first).status, (await second).status]).toEqual([200, 200]);
      expect(await until(() => scene.inFlight === 0)).toBe(true);
    });

    it('lets the more critical wait in front, as the application says who that is', async () => {
      const { handler, release } = held();
      const order: string[] = [];
      const note: ExchangeHandler = (exchange) => {
        order.push(exchange.req.url ?? '');
        ok(exchange);
      };
      await scene.start([get('/held', handler), get('/low', note), get('/high', note)], {
        inbound: { concurrency: { limit: 1, queue: { size: 5, wait: '5s' } } },
        priority: (req) => (req.url === '/low' ? 'sheddable' : 'critical_plus'),
      });
      const all = [scene.ask('/held')];
      await until(() => scene.inFlight === 1);
      for (const path of ['/low', '/high']) {
        const waiting = scene.spillway.snapshot().inbound.queued;
        all.push(scene.ask(path));
        await until(() => scene.spillway.snapshot().inbound.queued > waiting);
      }
      release();
      await Promise.all(all);
      expect(order).toEqual(['/high', '/low']);
    });

    it('answers 503 and closes the connection while the server drains', async () => {
      await scene.serve(ok);
      const drained = scene.spillway.drain({ within: '2s' });
      const reply = await scene.ask();
      expect(reply).toMatchObject({ status: 503, headers: { connection: 'close' } });
      expect(await drained).toBe(true);
    });
  });

  describe(`options of a route`, () => {
    const asked: ExchangeHandler = (exchange) =>
      exchange.answer(200, {
        left: exchange.spillway.remainingMs(),
        as: exchange.spillway.call.facts.criticality,
      });

    it('set its deadline and its priority', async () => {
      await scene.start([
        get('/', asked, { options: { deadline: '700ms', priority: 'sheddable' } }),
        get('/plain', asked),
      ]);
      const { left, as } = JSON.parse((await scene.ask()).text);
      expect(left).toBeLessThan(700);
      expect(as).toBe('sheddable');
      const plain = JSON.parse((await scene.ask('/plain')).text);
      expect(plain.left).toBeGreaterThan(700);
      expect(plain.as).toBe('critical');
    });

    it('answer 504 by its deadline, and none where it only observes', async () => {
      const cut: ExchangeHandler = async (exchange) => {
        await until(() => exchange.res.writableEnded);
        ok(exchange);
      };
      const seen: ExchangeHandler = async (exchange) => {
        await sleep(150);
        ok(exchange);
      };
      await scene.start([
        get('/cut', cut, { options: { deadline: '50ms' } }),
        get('/seen', seen, { options: { deadline: '50ms', mode: 'observe' } }),
      ]);
      expect((await scene.ask('/cut')).status).toBe(504);
      expect((await scene.ask('/seen')).status).toBe(200);
      expect(scene.count('inbound.deadline')).toBe(2);
    });

    it('take it out of the count', async () => {
      const { handler, release } = held();
      await scene.start([get('/', handler, { options: { exempt: true } })], { inbound: FULL });
      const all = [scene.ask()];
      await until(() => scene.count('inbound.admitted') === 1 && scene.inFlight === 0);
      all.push(scene.ask());
      expect(await until(() => scene.count('inbound.admitted') === 2)).toBe(true);
      release();
      expect((await Promise.all(all)).map(({ status }) => status)).toEqual([200, 200]);
    });
  });
}
