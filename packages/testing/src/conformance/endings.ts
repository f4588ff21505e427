import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import type { ExchangeHandler, SuiteRoute } from './adapter.js';
import type { RawClient } from './ask.js';
import { get, ok, post, type Scene, sleep, until } from './scene.js';

/** Ends of an answer that a client sees as an answer: handler, and the status that comes of it. */
const ANSWERS: Readonly<Record<string, readonly [ExchangeHandler, number]>> = {
  JSON: [ok, 200],
  'a text': [(exchange) => exchange.answer(200, 'text'), 200],
  'no content': [(exchange) => exchange.answer(204, null), 204],
  'not modified': [(exchange) => exchange.answer(304, null), 304],
  'an error of its own': [(exchange) => exchange.answer(500, { error: 'own' }), 500],
  'a redirect': [(exchange) => exchange.redirect('/elsewhere'), 302],
  'a stream': [(exchange) => exchange.answer(200, Readable.from(['a', 'b', 'c'])), 200],
  'an answer after a while': [
    async (exchange) => {
      await sleep(20);
      ok(exchange);
    },
    200,
  ],
  'an answer written by hand': [
    (exchange) => {
      const res = exchange.takeOver();
      res.writeHead(200, { 'Content-Type': 'text/plain' });
      res.end('by hand');
    },
    200,
  ],
  'a thrown error': [
    () => {
      throw Object.assign(new Error('own'), { status: 418, statusCode: 418 });
    },
    418,
  ],
  'a rejected promise': [
    async () => {
      await sleep(5);
      throw Object.assign(new Error('own'), { status: 418, statusCode: 418 });
    },
    418,
  ],
  'a 504': [async () => sleep(100), 504],
};

/** What a client does that ends a request on `/work`, whose handler never answers, or on `/stream`. */
const DEPARTURES: Readonly<Record<string, (client: RawClient, scene: Scene) => Promise<unknown>>> = {
  'leaves before its body has come': (client, scene) => {
    client.post('/upload', '{"a":', { length: 500 });
    return until(() => scene.count('inbound.admitted') > 0);
  },
  'leaves while its handler works': (client, scene) => {
    client.get('/work');
    return until(() => scene.inFlight === 1);
  },
  'leaves while its answer is streamed': (client) => {
    client.get('/stream');
    return until(() => client.text.includes('tick'));
  },
  'leaves with three requests under way': (client, scene) => {
    for (let i = 0; i < 3; i++) client.get('/work');
    return until(() => scene.count('inbound.admitted') >= 1);
  },
};

export function describeEndings(scene: Scene): void {
  const limit1 = { inbound: { concurrency: 1 } };

  describe(`a server that serves one at a time`, () => {
    it.each(Object.entries(ANSWERS))('is free again after %s', async (_name, [handler, status]) => {
      await scene.start([get('/', handler), get('/next', ok)], limit1);
      for (let i = 0; i < 2; i++) {
        expect(
          (await scene.ask({ headers: { 'X-Request-Budget-Ms': status === 504 ? '40' : '4000' } })).status,
        ).toBe(status);
        expect(await until(() => scene.inFlight === 0)).toBe(true);
      }
      expect((await scene.ask('/next')).status).toBe(200);
    });

    it('is free again after HEAD, after a URL that nobody serves, and after a body that does not parse', async () => {
      const handler: ExchangeHandler = (exchange) => exchange.answer(200, { body: exchange.body as null });
      await scene.start([get('/', ok), post('/json', handler, { body: 'json' })], limit1);
      expect(await scene.ask({ method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
      expect((await scene.ask('/nobody')).status).toBe(404);
      const json = {
        method: 'POST',
        path: '/json',
        headers: { 'Content-Type': 'application/json' },
      } as const;
      expect((await scene.ask({ ...json, body: '{"a":' })).status).toBe(400);
      expect((await scene.ask({ ...json, body: '{"a":1}' })).text).toBe('{"body":{"a":1}}');
      expect(await until(() => scene.inFlight === 0)).toBe(true);
    });
  });
}

export function describeDepartures(scene: Scene): void {
  describe('a server that serves one at a time', () => {
    it.each(Object.entries(DEPARTURES))('is free again when a client %s', async (_how, act) => {
      await scene.start(departureRoutes(), { inbound: { concurrency: 1 } });
      const client = await scene.connect();
      await act(client, scene);
      client.hangUp();
      expect(await until(() => scene.inFlight === 0)).toBe(true);
      expect((await scene.ask('/ok')).status).toBe(200);
      expect(scene.logs.filter((line) => /already sent|HEADERS_SENT/i.test(line))).toEqual([]);
    });

    it('is free again when a client leaves after its answer, and when it sends two and reads none', async () => {
      await scene.start([get('/', ok)], { inbound: { concurrency: 1 } });
      const client = await scene.connect();
      client.get();
      expect(await until(() => client.answers === 1)).toBe(true);
      client.hangUp();
      const impatient = await scene.connect();
      impatient.get();
      impatient.get();
      impatient.hangUp();
      expect(await until(() => scene.inFlight === 0)).toBe(true);
      expect((await scene.ask()).status).toBe(200);
    });

    it('serves a connection that is kept alive, and requests that are pipelined, in order', async () => {
      const slowFirst: ExchangeHandler = async (exchange) => {
        if (exchange.req.url?.endsWith('1') === true) await sleep(40);
        exchange.answer(200, `answer ${exchange.req.url}.`);
      };
      await scene.start(
        ['/1', '/2', '/3'].map((path) => get(path, slowFirst)),
        { inbound: { concurrency: 3 } },
      );
      const client = await scene.connect();
      for (const path of ['/1', '/2', '/3']) client.get(path);
      expect(await until(() => client.answers === 3)).toBe(true);
      client.get('/2');
      expect(await until(() => client.answers === 4)).toBe(true);
      expect(client.text.match(/answer \/\d/g)).toEqual(['answer /1', 'answer /2', 'answer /3', 'answer /2']);
      expect(await until(() => scene.inFlight === 0)).toBe(true);
    });
  });

  describe('a slow upload', () => {
    it('is not cut while nobody has set a deadline', async () => {
      await scene.start([post('/json', ok, { body: 'json' })], {
        inbound: { deadline: { default: '30ms' } },
      });
      const client = await scene.connect();
      await upload(client, '');
      expect(await until(() => client.text.includes('200 OK'))).toBe(true);
    });

    it('gets 504 when its deadline passes, and its handler does not answer over it', async () => {
      await scene.start([post('/json', ok, { body: 'json' })], { inbound: { concurrency: 1 } });
      const client = await scene.connect();
      await upload(client, 'X-Request-Budget-Ms: 60\r\n');
      expect(await until(() => client.answers === 1)).toBe(true);
      await sleep(30);
      expect(client.text).toMatch(/^HTTP\/1.1 504 /);
      expect(client.answers).toBe(1);
      client.hangUp();
      expect(await until(() => scene.inFlight === 0)).toBe(true);
      expect(scene.logs).toEqual([]);
    });
  });
}

/** A body in five pieces, over 150 ms. */
async function upload(client: RawClient, headers: string): Promise<void> {
  const body = '{"a":"1234567890"}';
  client.post('/json', '', { length: body.length, headers });
  for (let at = 0; at < body.length; at += 4) {
    await sleep(30);
    client.send(body.slice(at, at + 4));
  }
}

function departureRoutes(): SuiteRoute[] {
  const never: ExchangeHandler = ({ spillway }) =>
    new Promise<void>((resolve) => spillway.signal.addEventListener('abort', () => resolve()));
  const stream: ExchangeHandler = async (exchange) => {
    const res = exchange.takeOver();
    res.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (let i = 0; i < 20 && !exchange.spillway.signal.aborted; i++) {
      res.write(`data: tick ${i}\n\n`);
      await sleep(20);
    }
    res.end();
  };
  return [get('/work', never), get('/stream', stream), get('/ok', ok), post('/upload', ok, { body: 'json' })];
}
