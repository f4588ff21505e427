import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { ExchangeHandler } from './adapter.js';
import { ok, type Scene, sleep, until } from './scene.js';

/** Name, value, and what they say in ms. */
const VALID: readonly (readonly [string, string, number])[] = [
  ['X-Request-Budget-Ms', '5000', 5000],
  ['X-Request-Budget-Ms', '20', 20],
  ['X-Request-Budget-Ms', '007000', 7000],
  ['grpc-timeout', '3000m', 3000],
  ['grpc-timeout', '3S', 3000],
  ['grpc-timeout', '1M', 60_000],
  ['grpc-timeout', '2H', 7_200_000],
  ['grpc-timeout', '2500001u', 2501],
  ['grpc-timeout', '99999999n', 100],
  ['connect-timeout-ms', '4000', 4000],
  ['X-Request-Budget-Ms', '99999999999', 2_147_483_647],
];

const MALFORMED: readonly (readonly [string, string])[] = [
  ['X-Request-Budget-Ms', '0'],
  ['X-Request-Budget-Ms', '-5'],
  ['X-Request-Budget-Ms', '+5'],
  ['X-Request-Budget-Ms', '12.5'],
  ['X-Request-Budget-Ms', '1e3'],
  ['X-Request-Budget-Ms', '0x10'],
  ['X-Request-Budget-Ms', 'soon'],
  ['X-Request-Budget-Ms', '100ms'],
  ['X-Request-Budget-Ms', '100, 200'],
  ['X-Request-Budget-Ms', '1234567890123456'],
  ['grpc-timeout', '100'],
  ['grpc-timeout', '5s'],
  ['grpc-timeout', '100000000m'],
  ['grpc-timeout', '-1S'],
  ['grpc-timeout', 'S'],
  ['connect-timeout-ms', '12345678901'],
  ['connect-timeout-ms', '1.5'],
];

const EXPIRED: readonly (readonly [string, string])[] = [
  ['grpc-timeout', '0m'],
  ['grpc-timeout', '0S'],
  ['connect-timeout-ms', '0'],
];

/** Each answers too late, in a way of its own. */
const LATE: Readonly<Record<string, ExchangeHandler>> = {
  'answers JSON': (exchange) => exchange.answer(200, { late: true }),
  'answers text': (exchange) => exchange.answer(200, 'late'),
  'answers an error': (exchange) => exchange.answer(500, { late: true }),
  'answers a stream': (exchange) => exchange.answer(200, Readable.from(['la', 'te'])),
  'answers nothing': (exchange) => exchange.answer(204, null),
  redirects: (exchange) => exchange.redirect('/elsewhere'),
  'writes by hand': (exchange) => {
    const res = exchange.takeOver();
    res.setHeader('X-Late', 'yes');
    res.writeHead(200);
    res.write('la');
    res.end('te');
  },
  throws: () => {
    throw new Error('too late');
  },
  'throws what is no error': () => {
    throw null;
  },
};

export function describeDeadlines(scene: Scene): void {
  describe(`deadlines`, () => {
    it.each(VALID)('are read from %s: %s', async (name, value, ms) => {
      await scene.serve(
        (exchange) =>
          exchange.answer(200, { ms: exchange.spillway.deadline.ms, left: exchange.spillway.remainingMs() }),
        { inbound: { deadline: { max: '3h' } } },
      );
      const reply = await scene.ask({ headers: { [name]: value } });
      // a handler that a busy machine starts late may have none of 20 ms left
      if (ms > 100) expect(reply.status).toBe(200);
      if (reply.status !== 200) return;
      const { ms: read, left } = JSON.parse(reply.text);
      expect(read).toBe(ms);
      expect(left).toBeLessThan(ms);
    });

    it.each(MALFORMED)('that are malformed count as absent: %s: %s', async (name, value) => {
      await scene.serve((exchange) => exchange.answer(200, { ms: exchange.spillway.deadline.ms ?? 'none' }));
      const reply = await scene.ask({ headers: { [name]: value } });
      expect(reply.status).toBe(200);
      expect(JSON.parse(reply.text)).toEqual({ ms: 'none' });
      expect(scene.events).toContainEqual(
        expect.objectContaining({ type: 'inbound.malformed', header: name.toLowerCase() }),
      );
    });

    it('that are malformed get 400 where the server says so, and reach no handler', async () => {
      let runs = 0;
      await scene.serve(() => void runs++, { inbound: { deadline: { onMalformed: 'reject' } } });
      const reply = await scene.ask({ headers: { 'grpc-timeout': '5s' } });
      expect(reply).toMatchObject({ status: 400, headers: { 'content-type': 'application/problem+json' } });
      expect(JSON.parse(reply.text).detail).toContain('grpc-timeout');
      expect(runs).toBe(0);
    });

    it.each(EXPIRED)('that are over on arrival get 504 and reach no handler: %s: %s', async (name, value) => {
      let runs = 0;
      await scene.serve(() => void runs++);
      const reply = await scene.ask({ headers: { [name]: value } });
      expect(reply).toMatchObject({ status: 504, headers: { 'content-type': 'application/problem+json' } });
      expect(runs).toBe(0);
      expect(scene.count('inbound.expired')).toBe(1);
      expect(scene.logs).toEqual([]);
    });

    it('give the shortest of all headers, and no more than the longest allowed', async () => {
      await scene.serve((exchange) => exchange.answer(200, { left: exchange.spillway.remainingMs() }), {
        inbound: { deadline: { max: '4s' } },
      });
      const short = await scene.ask({ headers: { 'grpc-timeout': '3S', 'X-Request-Budget-Ms': '8000' } });
      expect(JSON.parse(short.text).left).toBeLessThan(3000);
      const long = await scene.ask({ headers: { 'X-Request-Budget-Ms': '8000' } });
      expect(JSON.parse(long.text).left).toBeLessThan(4000);
    });

    it('that nobody sent bound the work, and no answer', async () => {
      await scene.serve(
        async (exchange) => {
          await sleep(150);
          exchange.answer(200, { left: exchange.spillway.remainingMs() });
        },
        { inbound: { deadline: { default: '50ms' } } },
      );
      const reply = await scene.ask();
      expect(reply.status).toBe(200);
      expect(JSON.parse(reply.text)).toEqual({ left: 0 });
    });

    it.each(Object.entries(LATE))('get one 504 in time when the handler %s late', async (_how, answer) => {
      let goOn: () => void = () => undefined;
      const late = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await scene.serve(async (exchange) => {
        await late;
        await answer(exchange);
      });
      const client = await scene.connect();
      client.get('/', 'X-Request-Budget-Ms: 60\r\n');
      expect(await until(() => client.text.includes('deadline-exceeded'))).toBe(true);
      goOn();
      expect(client.text).toMatch(/^HTTP\/1.1 504 /);
      expect(client.text.toLowerCase()).toContain('content-type: application/problem+json');
      expect(await until(() => scene.count('inbound.late') === 1)).toBe(true);
      expect(await until(() => scene.inFlight === 0)).toBe(true);
      await sleep(20);
      expect(client.answers).toBe(1);
      expect(client.text).not.toContain('X-Late');
      expect(scene.count('inbound.late')).toBe(1);
      expect(scene.logs).toEqual([]);
      // the connection serves on
      client.get('/', 'grpc-timeout: 0m\r\n');
      expect(await until(() => client.answers === 2)).toBe(true);
    });

    it('hold the place at the gate of a handler that was answered for, until it ends', async () => {
      await scene.serve(
        async (exchange) => {
          await sleep(250);
          exchange.answer(200, 'late');
        },
        { inbound: { concurrency: 1 } },
      );
      expect((await scene.ask({ headers: { 'X-Request-Budget-Ms': '50' } })).status).toBe(504);
      expect(scene.spillway.snapshot().inbound).toMatchObject({ inFlight: 1, detached: 1 });
      expect(await until(() => scene.inFlight === 0)).toBe(true);
      expect(scene.spillway.snapshot().inbound.detached).toBe(0);
    });

    it('answer 504 to HEAD without a body', async () => {
      await scene.serve(async () => sleep(120));
      const reply = await scene.ask({ method: 'HEAD', headers: { 'X-Request-Budget-Ms': '40' } });
      expect(reply).toMatchObject({ status: 504, text: '' });
    });

    it('abort the signal with a reason that tells them from a client that left', async () => {
      const reasons: unknown[] = [];
      await scene.serve(async ({ spillway: { signal } }) => {
        signal.addEventListener('abort', () => reasons.push((signal.reason as { code: string }).code));
        await sleep(120);
      });
      expect((await scene.ask({ headers: { 'X-Request-Budget-Ms': '40' } })).status).toBe(504);
      expect(await until(() => reasons.length > 0)).toBe(true);
      expect(reasons).toEqual(['ERR_DEADLINE_EXCEEDED']);
    });

    it('come late to nobody who has answered in time', async () => {
      await scene.serve(ok);
      expect((await scene.ask({ headers: { 'X-Request-Budget-Ms': '2000' } })).status).toBe(200);
      expect(scene.count('inbound.deadline')).toBe(0);
    });
  });
}
