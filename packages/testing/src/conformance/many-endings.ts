import { getEventListeners } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { type Random, seededRandom } from '@spillway/core';
import type { ExchangeHandler, SuiteRoute } from './adapter.js';
import { get, ok, post, type Scene, sleep, until } from './scene.js';

/** Requests of random endings; the slow sweep asks for 10,000. */
const RUNS = Number(process.env['SPILLWAY_ENDINGS'] ?? 400);
const AT_ONCE = 20;
const SEED = 20_260_801;

/** One request, ended in a way that chance picks. */
type Ending = (scene: Scene, random: Random) => Promise<unknown>;

const ENDINGS: readonly Ending[] = [
  (scene) => scene.ask('/ok'),
  (scene) => scene.ask('/nobody'),
  (scene) => scene.ask('/throws'),
  (scene) => scene.ask({ path: '/ok', method: 'HEAD' }),
  (scene) => scene.ask('/stream'),
  (scene) => scene.ask({ path: '/slow', headers: { 'X-Request-Budget-Ms': '5' } }),
  (scene) => scene.ask({ path: '/ok', headers: { 'grpc-timeout': '0m' } }),
  (scene) =>
    scene.ask({ path: '/json', method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{' }),
  async (scene, random) => {
    const client = await scene.connect();
    client.get(random() < 0.5 ? '/slow' : '/stream');
    await sleep(random() * 12);
    client.hangUp();
  },
  async (scene, random) => {
    const client = await scene.connect();
    client.post('/json', '{"a":', { length: 90 });
    await sleep(random() * 6);
    client.hangUp();
  },
  async (scene) => {
    const client = await scene.connect();
    for (let i = 0; i < 3; i++) client.get('/ok');
    await until(() => client.answers === 3, 1000);
    client.hangUp();
  },
];

export function describeManyEndings(scene: Scene): void {
  describe('requests of random endings', () => {
    it('leave nothing behind: no place taken, nobody waiting, no connection, no listener', async () => {
      await scene.start(routes(), {
        inbound: { concurrency: { limit: 15, queue: { size: 10, wait: '50ms' } } },
      });
      const before = process
        .eventNames()
        .map((name) => [name, getEventListeners(process, name as string).length]);
      const random = seededRandom(SEED);
      for (let run = 0; run < RUNS; run += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => end(scene, random)));
      }
      expect(await until(() => scene.inFlight === 0)).toBe(true);
      expect(await until(() => scene.spillway.snapshot().inbound.detached === 0)).toBe(true);
      expect(scene.spillway.snapshot().inbound).toMatchObject({ inFlight: 0, queued: 0, detached: 0 });
      expect(await until(() => scene.connections === 0)).toBe(true);
      expect(
        process.eventNames().map((name) => [name, getEventListeners(process, name as string).length]),
      ).toEqual(before);
      const admitted = scene.count('inbound.admitted');
      expect(admitted).toBeGreaterThan(RUNS / 4);
      expect((await scene.ask('/ok')).status).toBe(200);
    }, 600_000);
  });
}

async function end(scene: Scene, random: Random): Promise<void> {
  const ending = ENDINGS[Math.floor(random() * ENDINGS.length)] as Ending;
  await ending(scene, random);
}

function routes(): SuiteRoute[] {
  const slow: ExchangeHandler = async (exchange) => {
    await sleep(12);
    ok(exchange);
  };
  const stream: ExchangeHandler = (exchange) => {
    const body = new PassThrough();
    exchange.answer(200, body);
    body.write('first');
    void sleep(5).then(() => body.end('last'));
  };
  const throws: ExchangeHandler = () => {
    throw Object.assign(new Error('own'), { status: 418, statusCode: 418, expose: true });
  };
  return [
    get('/ok', ok),
    get('/slow', slow),
    get('/stream', stream),
    get('/throws', throws),
    post('/json', ok, { body: 'json' }),
  ];
}

/** A server that only waits for others has time: nobody is refused. */
export function describeHealth(scene: Scene): void {
  describe('a healthy server', () => {
    it.each([
      ['loop', undefined],
      ['a number', 200],
    ])(
      'refuses nobody from its first second on, with the limit %s',
      async (_name, limit) => {
        await scene.serve(
          async (exchange) => {
            await sleep(500);
            ok(exchange);
          },
          { inbound: { concurrency: limit ?? { limit: { kind: 'loop', turn: '50ms' } } } },
        );
        const asked: Promise<{ status: number }>[] = [];
        for (let i = 0; i < 100; i++) {
          asked.push(scene.ask());
          await sleep(5);
        }
        const refused = (await Promise.all(asked)).filter(({ status }) => status !== 200);
        expect(refused).toEqual([]);
      },
      20_000,
    );
  });
}
