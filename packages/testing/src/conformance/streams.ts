import { PassThrough, type Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { Exchange } from './adapter.js';
import { get, ok, type Scene, sleep, until } from './scene.js';

/** Server-sent events: one every 25 ms, until the client has gone. */
function events(exchange: Exchange, count: number): Promise<void> | void {
  const stream = new PassThrough();
  exchange.answer(200, stream, { 'Content-Type': 'text/event-stream' });
  void (async () => {
    for (let i = 0; i < count && !stream.destroyed; i++) {
      stream.write(`data: ${i}\n\n`);
      await sleep(25);
    }
    stream.end();
  })();
}

export function describeStreams(scene: Scene): void {
  describe('a streamed answer', () => {
    it('leaves the gate with its headers, and no deadline cuts it', async () => {
      await scene.start([get('/events', (exchange) => events(exchange, 6)), get('/', ok)], {
        inbound: { concurrency: 1 },
      });
      const client = await scene.connect();
      client.get('/events', 'X-Request-Budget-Ms: 60\r\n');
      expect(await until(() => client.text.includes('data: 0'))).toBe(true);
      expect(await until(() => scene.inFlight === 0)).toBe(true);
      expect((await scene.ask('/')).status).toBe(200);
      expect(await until(() => client.text.includes('data: 5'))).toBe(true);
      expect(scene.count('inbound.deadline')).toBe(0);
      expect(scene.logs).toEqual([]);
    });

    it('that is written by hand does so too', async () => {
      await scene.start(
        [
          get('/events', async (exchange) => {
            const res = exchange.takeOver();
            res.writeHead(200, { 'Content-Type': 'text/event-stream' });
            for (let i = 0; i < 6; i++) {
              res.write(`data: ${i}\n\n`);
              await sleep(25);
            }
            res.end();
          }),
          get('/', ok),
        ],
        { inbound: { concurrency: 1 } },
      );
      const client = await scene.connect();
      client.get('/events', 'X-Request-Budget-Ms: 60\r\n');
      expect(await until(() => client.text.includes('data: 0'))).toBe(true);
      expect((await scene.ask('/')).status).toBe(200);
      expect(await until(() => client.text.includes('data: 5'))).toBe(true);
      expect(scene.logs).toEqual([]);
    });

    it('is cut where the deadline covers the response, and the client does not take it for the whole', async () => {
      await scene.start([
        get('/events', (exchange) => events(exchange, 40), { options: { covers: 'response' } }),
      ]);
      const client = await scene.connect();
      client.get('/events', 'X-Request-Budget-Ms: 120\r\n');
      expect(await until(() => client.closed)).toBe(true);
      expect(client.text).toContain('data: 0');
      expect(client.text).not.toMatch(/0\r\n\r\n$/);
      expect(client.answers).toBe(1);
      expect(await until(() => scene.inFlight === 0)).toBe(true);
    });

    it('is destroyed when its client leaves', async () => {
      const stream = new PassThrough();
      await scene.start([get('/', (exchange) => exchange.answer(200, stream))], {
        inbound: { concurrency: 1 },
      });
      const client = await scene.connect();
      client.get();
      stream.write('first');
      expect(await until(() => client.text.includes('first'))).toBe(true);
      client.hangUp();
      expect(await until(() => stream.destroyed)).toBe(true);
      expect(scene.inFlight).toBe(0);
    });

    it('is destroyed when it is not sent: for a late answer, and for HEAD', async () => {
      const streams: Readable[] = [];
      await scene.serve(async (exchange) => {
        const stream = new PassThrough();
        streams.push(stream);
        stream.write('body');
        if (exchange.req.method !== 'HEAD') await sleep(100);
        exchange.answer(200, stream);
        if (exchange.req.method === 'HEAD') stream.end();
      });
      expect((await scene.ask({ headers: { 'X-Request-Budget-Ms': '40' } })).status).toBe(504);
      expect((await scene.ask({ method: 'HEAD' })).status).toBe(200);
      expect(await until(() => streams.length === 2 && streams.every(({ destroyed }) => destroyed))).toBe(
        true,
      );
    });

    it('that fails after its first byte is cut, once, without a second answer', async () => {
      await scene.serve(async (exchange) => {
        const res = exchange.takeOver();
        res.writeHead(200);
        res.write('first');
        await sleep(20);
        throw new Error('half way');
      });
      const client = await scene.connect();
      client.get();
      expect(await until(() => client.closed)).toBe(true);
      expect(client.text).toContain('first');
      expect(client.text).not.toMatch(/0\r\n\r\n$/);
      expect(client.text).not.toContain('half way');
      expect(client.answers).toBe(1);
      expect(await until(() => scene.inFlight === 0)).toBe(true);
      expect(await until(() => scene.count('inbound.end') === 1)).toBe(true);
    });

    it('whose source fails is cut too', async () => {
      await scene.serve((exchange) => {
        const stream = new PassThrough();
        exchange.answer(200, stream);
        stream.write('first');
        void sleep(30).then(() => stream.destroy(new Error('source gone')));
      });
      const client = await scene.connect();
      client.get();
      expect(await until(() => client.closed)).toBe(true);
      expect(client.text).not.toMatch(/0\r\n\r\n$/);
      expect(client.answers).toBe(1);
    });
  });
}
