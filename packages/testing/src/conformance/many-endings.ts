import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { type Random, seededRandom } from '@spillway/core';
import type { ExchangeHandler, SuiteRoute } from './adapter.js';
import { get, ok, post, type Scene, sleep, until } from './scene.js';

/** The slow sweep asks for more. */
const isNightly = (process.env['NIGHTLY'] ?? '') !== '';
/** Requests of random endings. */
const RUNS = Number(process.env['SPILLWAY_ENDINGS'] ?? (isNightly ? 10_000 : 400));
/** So many say something about memory, and less than so much may be kept of the second half of them. */
const RUNS_OF_HEAP = 10_000;
const MOST_KEPT = 1_000_000;
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
      const before = held();
      const random = seededRandom(SEED);
      const heaps: number[] = [];
      let admitted = 0;
      for (let run = 0; run < RUNS; run += AT_ONCE) {
        await Promise.all(Array.from({ length: AT_ONCE }, () => end(scene, random)));
        admitted += scene.count('inbound.admitted');
        scene.forget();
        if (run + AT_ONCE === RUNS / 2) {
          await settled(scene);
          scene.forget();
          heaps.push(heap());
        }
      }
      expect(await settled(scene)).toEqual({ connections: 0, inFlight: 0, queued: 0, detached: 0 });
      scene.forget();
      heaps.push(heap());
      // what an earlier server has left may have gone meanwhile
      await until(() => held().sockets <= before.sockets);
      expect(held().sockets).toBeLessThanOrEqual(before.sockets);
      expect(held().listeners).toEqual(before.listeners);
      expect(admitted).toBeGreaterThan(RUNS / 4);
      const [half = 0, whole = 0] = heaps;
      if (RUNS >= RUNS_OF_HEAP) expect(whole - half).toBeLessThan(MOST_KEPT);
      expect((await scene.ask('/ok')).status).toBe(200);
    }, 600_000);
  });
}

/** What is left of the requests, once they have had the time to end. */
async function settled(scene: Scene): Promise<object> {
  const left = () => {
    const { inFlight, queued, detached } = scene.spillway.snapshot().inbound;
    return { connections: scene.connections, inFlight, queued, detached };
  };
  await until(() => Object.values(left()).every((count) => count === 0));
  return left();
}

/** Listeners of the process, and its sockets: what a request may leave behind unseen. */
function held(): { readonly listeners: object; readonly sockets: number } {
  const listeners = process.eventNames().map((name) => [name, process.listenerCount(name as string)]);
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
  return { listeners, sockets };
}

/** Bytes in use after two collections. */
function heap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
  return process.memoryUsage().heapUsed;
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
