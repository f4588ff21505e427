import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import type { ContextCarrier } from '@spillway/core';
import type { Exchange, ExchangeHandler } from './adapter.js';
import type { Question } from './ask.js';
import { get, ok, post, type Scene, sleep, until } from './scene.js';

/** Ambient contexts to try, by name. */
export type Carriers = Readonly<Record<string, () => ContextCarrier>>;

const JSON_HEADERS = { 'Content-Type': 'application/json' };

function multipart(id: string): Question {
  const part = (head: string, text: string) =>
    `--edge\r\nContent-Disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
  const file = part('name="file"; filename="a.txt"\r\nContent-Type: text/plain', 'x'.repeat(40_000));
  return {
    method: 'POST',
    path: '/upload',
    headers: { 'Content-Type': 'multipart/form-data; boundary=edge', 'X-Id': id },
    body: `${part('name="id"', id)}${file}--edge--\r\n`,
  };
}

export function describeContexts(scene: Scene, carriers: Carriers): void {
  describe.each(Object.entries(carriers))('the context in %s', (_name, make) => {
    let carrier: ContextCarrier;
    /** Is the present context that of this request? */
    const isOwn = ({ spillway }: Exchange): boolean => carrier.current() === spillway.call;
    const tell: ExchangeHandler = (exchange) => exchange.answer(200, { own: isOwn(exchange) });
    const onError = (_error: unknown, exchange: Exchange) => exchange.answer(400, { own: isOwn(exchange) });
    const open = (routes: Parameters<Scene['start']>[0], options: Parameters<Scene['start']>[1] = {}) => {
      carrier = make();
      return scene.start(routes, { ...options, context: carrier });
    };

    it.each<[string, Question]>([
      ['a small body', { headers: JSON_HEADERS, body: '{}' }],
      ['a body of many chunks', { headers: JSON_HEADERS, body: JSON.stringify({ a: 'x'.repeat(900_000) }) }],
    ])('is there behind a JSON parser, for %s', async (_what, question) => {
      await open([post('/json', tell, { body: 'json' })]);
      const reply = await scene.ask({ method: 'POST', path: '/json', ...question });
      expect(reply).toMatchObject({ status: 200, text: '{"own":true}' });
    });

    it('is there for a compressed body, where the framework unpacks it, and in the error handler', async () => {
      await open([post('/json', tell, { body: 'json' })], { onError });
      const headers = { ...JSON_HEADERS, 'Content-Encoding': 'gzip' };
      const reply = await scene.ask({ method: 'POST', path: '/json', headers, body: gzipSync('{"a":1}') });
      expect(reply.text).toBe('{"own":true}');
      const malformed = { method: 'POST', path: '/json', headers: JSON_HEADERS, body: '{"a":' } as const;
      expect(await scene.ask(malformed)).toMatchObject({ status: 400, text: '{"own":true}' });
    });

    it("is each request's own behind a multipart parser, with twenty at once", async () => {
      const upload: ExchangeHandler = async (exchange) => {
        const before = isOwn(exchange);
        await sleep(5);
        exchange.answer(200, {
          own: before && isOwn(exchange),
          id: String(exchange.req.headers['x-id']),
          ...(exchange.body as object),
        });
      };
      await open([post('/upload', upload, { body: 'multipart' })]);
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, i) => scene.ask(multipart(`id-${i}`))),
      );
      const texts = replies.map(({ text }) => JSON.parse(text));
      expect(texts).toEqual(
        Array.from({ length: 20 }, (_, i) => ({ own: true, id: `id-${i}`, fields: 1, files: 1 })),
      );
    });

    it('is its own for a request that waited at the gate, whoever made room for it', async () => {
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      await open(
        [
          get('/held', async (exchange) => {
            await released;
            ok(exchange);
          }),
          get('/', tell),
        ],
        { inbound: { concurrency: { limit: 1, queue: { size: 5, wait: '5s' } } } },
      );
      const first = scene.ask('/held');
      await until(() => scene.inFlight === 1);
      const others = Array.from({ length: 3 }, () => scene.ask());
      await until(() => scene.spillway.snapshot().inbound.queued === 3);
      release();
      await first;
      for (const reply of await Promise.all(others)) expect(reply.text).toBe('{"own":true}');
    });

    it('is its own for calls that waited for a unit, and for retries after a sleep', async () => {
      const run: ExchangeHandler = async (exchange) => {
        const seen: boolean[] = [];
        await exchange.spillway.dependency('one').call(
          async ({ number }) => {
            seen.push(isOwn(exchange));
            await sleep(5);
            seen.push(isOwn(exchange));
            if (number < 3) throw Object.assign(new Error('again'), { status: 503 });
          },
          { idempotent: true },
        );
        seen.push(isOwn(exchange));
        exchange.answer(200, { own: seen.every(Boolean), seen: seen.length });
      };
      await open([get('/', run)], {
        dependencies: {
          one: {
            bulkhead: { concurrent: 1, queue: 50, wait: '9s' },
            retry: { attempts: 3, backoff: { base: '20ms', jitter: 'none' }, budget: false },
            breaker: false,
          },
        },
      });
      const replies = await Promise.all(Array.from({ length: 6 }, () => scene.ask()));
      for (const { text } of replies) expect(text).toBe('{"own":true,"seen":7}');
    });

    it('is its own in what timers set off: abort listeners, and the fallback of a route', async () => {
      const seen: boolean[] = [];
      await open(
        [
          get(
            '/',
            async (exchange) => {
              exchange.spillway.signal.addEventListener('abort', () => seen.push(isOwn(exchange)));
              await sleep(1500);
            },
            {
              fallback: async (_failure, exchange) => {
                seen.push(isOwn(exchange));
                tell(exchange);
              },
            },
          ),
          get('/slow', async (exchange) => {
            exchange.spillway.signal.addEventListener('abort', () => seen.push(isOwn(exchange)));
            await sleep(1500);
          }),
        ],
        { inbound: { deadline: { margin: '200ms' } } },
      );
      const headers = { 'X-Request-Budget-Ms': '1000' };
      const paths = ['/', '/', '/slow', '/slow', '/slow'];
      const replies = await Promise.all(paths.map((path) => scene.ask({ path, headers })));
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 504, 504, 504]);
      expect(await until(() => seen.length >= 5)).toBe(true);
      expect(seen).not.toContain(false);
    });

    it('is its own on a connection that requests share, one after the other', async () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const upstream = createServer((_req, res) => void sleep(5).then(() => res.end('answer')));
      await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
      const { port } = upstream.address() as AddressInfo;
      await open([
        get('/', async (exchange) => {
          const seen: boolean[] = [];
          await new Promise<void>((resolve, reject) => {
            const outgoing = request({ agent, port, host: '127.0.0.1' }, (answer) => {
              seen.push(isOwn(exchange));
              answer.on('data', () => seen.push(isOwn(exchange)));
              answer.on('end', resolve);
            });
            outgoing.on('error', reject);
            outgoing.end();
          });
          seen.push(isOwn(exchange));
          exchange.answer(200, { own: seen.every(Boolean) });
        }),
      ]);
      const replies = await Promise.all(Array.from({ length: 8 }, () => scene.ask()));
      agent.destroy();
      upstream.closeAllConnections();
      await new Promise((resolve) => upstream.close(resolve));
      for (const { text } of replies) expect(text).toBe('{"own":true}');
    });

    it('finds the request for calls that nobody gave a parent', async () => {
      const left: number[] = [];
      await open(
        [
          get('/', async (exchange) => {
            await scene.spillway.dependency('one').call((attempt) => void left.push(attempt.remainingMs()));
            ok(exchange);
          }),
        ],
        { dependencies: { one: { deadline: '60s', attempt: { timeout: '60s' } } } },
      );
      expect((await scene.ask({ headers: { 'X-Request-Budget-Ms': '2000' } })).status).toBe(200);
      expect(left[0]).toBeLessThan(2000);
    });
  });
}
