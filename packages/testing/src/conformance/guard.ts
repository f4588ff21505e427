import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { ExchangeHandler } from './adapter.js';
import { get, ok, post, type Scene, until } from './scene.js';

const FULL = { concurrency: 1 } as const;
const EXPECTS = 'Expect: 100-continue\r\n';

/** Starts `GET /held`, which holds the only place until it is released, beside `GET /` and `POST /json`. */
async function full(scene: Scene): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held: ExchangeHandler = async (exchange) => {
    await released;
    ok(exchange);
  };
  const echo: ExchangeHandler = (exchange) => exchange.answer(200, { got: exchange.body });
  await scene.start([get('/held', held), get('/', ok), post('/json', echo, { body: 'json' })], {
    inbound: FULL,
  });
  return release;
}

/** What a gate in front of the framework does besides: for scenes whose server is guarded. */
export function describeGuard(scene: Scene): void {
  describe('guardServer', () => {
    it('refuses before anybody else hears of the request', async () => {
      const release = await full(scene);
      const heard: (string | undefined)[] = [];
      scene.server.on('request', ({ url }: IncomingMessage) => heard.push(url));
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      const reply = await scene.ask();
      expect(reply).toMatchObject({
        status: 503,
        headers: { 'content-type': 'application/problem+json', 'retry-after': expect.any(String) },
      });
      expect(heard).toEqual(['/held']);
      release();
      expect((await first).status).toBe(200);
    });

    it('counts a request once, which the adapter behind it takes over', async () => {
      const release = await full(scene);
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      release();
      expect((await first).status).toBe(200);
      expect(await until(() => scene.inFlight === 0)).toBe(true);
      expect(scene.count('inbound.admitted')).toBe(1);
      expect(scene.count('inbound.end')).toBe(1);
    });

    it('refuses and admits on one connection, one after the other', async () => {
      const release = await full(scene);
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      const client = await scene.connect();
      client.get();
      expect(await until(() => client.answers === 1)).toBe(true);
      release();
      await first;
      await until(() => scene.inFlight === 0);
      client.get();
      expect(await until(() => client.answers === 2)).toBe(true);
      expect(statuses(client.text)).toEqual([503, 200]);
      expect(client.closed).toBe(false);
    });

    it('answers pipelined requests in their order', async () => {
      const release = await full(scene);
      const client = await scene.connect();
      client.get('/held');
      client.get();
      client.get();
      expect(await until(() => scene.count('inbound.refused') === 2)).toBe(true);
      expect(client.answers).toBe(0);
      release();
      expect(await until(() => client.answers === 3)).toBe(true);
      expect(statuses(client.text)).toEqual([200, 503, 503]);
    });

    it('refuses an upload that asks first before its body is sent', async () => {
      const release = await full(scene);
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      const client = await scene.connect();
      client.post('/json', '', { headers: EXPECTS, length: 7 });
      // the body that was never asked for would be taken for the next request
      expect(await until(() => client.closed)).toBe(true);
      expect(statuses(client.text)).toEqual([503]);
      release();
      await first;
    });

    it('asks for the body of an upload that it lets in', async () => {
      await full(scene);
      const client = await scene.connect();
      client.post('/json', '', { headers: EXPECTS, length: 7 });
      expect(await until(() => client.answers === 1)).toBe(true);
      client.send('{"a":1}');
      expect(await until(() => client.answers === 2)).toBe(true);
      expect(statuses(client.text)).toEqual([100, 200]);
      expect(client.text).toContain('{"got":{"a":1}}');
    });

    it('lets upgrades pass', async () => {
      const release = await full(scene);
      scene.server.on('upgrade', (_req: IncomingMessage, socket: Duplex) => {
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: suite\r\n\r\n');
      });
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      const client = await scene.connect();
      client.get('/', 'Connection: Upgrade\r\nUpgrade: suite\r\n');
      expect(await until(() => client.closed)).toBe(true);
      expect(statuses(client.text)).toEqual([101]);
      release();
      await first;
    });
  });
}

function statuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
}
