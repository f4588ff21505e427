import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '@spillway/core';
import {
  type FlakyScript,
  type FlakyServer,
  type FlakyServerOptions,
  flakyServer,
  manualClock,
} from '../../src/index.js';

const clock = systemClock();
const running: FlakyServer[] = [];

async function start(script?: FlakyScript, options?: FlakyServerOptions): Promise<FlakyServer> {
  const server = await flakyServer(script, options);
  running.push(server);
  return server;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The body was cut short. */
  readonly cut: boolean;
}

async function until(check: () => boolean): Promise<void> {
  while (!check()) await setTimeout(2);
}

/** One request on a connection of its own, or on the given agent's. Rejects when no answer comes. */
function send(
  url: string,
  options: { method?: string; body?: string; agent?: Agent; signal?: AbortSignal } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', body, agent = new Agent(), signal } = options;
    const request = httpRequest(url, { method, agent, ...(signal === undefined ? {} : { signal }) });
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      const settle = (cut: boolean) =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, cut });
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', () => settle(true));
      response.on('end', () => settle(false));
    });
    request.end(body);
  });
}

describe('what it answers', () => {
  test('Without a script every request gets 200 and a JSON body.', async () => {
    const server = await start();
    const answer = await send(server.url);
    expect(answer).toMatchObject({ status: 200, body: '{"status":200}', cut: false });
    expect(answer.headers['content-type']).toBe('application/json');
  });

  test('A list gives each request its own step, and the last repeats.', async () => {
    const server = await start([503, { status: 429, headers: { 'retry-after': '2' } }, 200]);
    const answers = [];
    for (let i = 0; i < 4; i++) answers.push(await send(server.url));
    expect(answers.map(({ status }) => status)).toEqual([503, 429, 200, 200]);
    expect(answers[1]?.headers['retry-after']).toBe('2');
  });

  test('A function sees the request and may answer later.', async () => {
    const server = await start(async (hit) => ({ body: `${hit.method} ${hit.path} ${hit.step}` }));
    expect((await send(`${server.url}/a?b=c`, { method: 'PUT' })).body).toBe('PUT /a 1');
  });

  test('A function that throws gives 500 and says what it threw.', async () => {
    const server = await start(() => {
      throw new Error('bug in the script');
    });
    const answer = await send(server.url);
    expect(answer).toMatchObject({ status: 500, body: 'Error: bug in the script' });
    expect(answer.headers['x-flaky-server']).toBe('script threw');
  });

  test('Text and bytes go out as they are, anything else as JSON.', async () => {
    const server = await start([{ body: 'plain' }, { body: Buffer.from('bytes') }, { body: [1, 2] }]);
    const bodies = [];
    for (let i = 0; i < 3; i++) bodies.push((await send(server.url)).body);
    expect(bodies).toEqual(['plain', 'bytes', '[1,2]']);
  });

  test('A header can be sent twice, and 204 has no body.', async () => {
    const server = await start({ status: 204, headers: { 'set-cookie': ['a=1', 'b=2'] } });
    const answer = await send(server.url);
    expect(answer.headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(answer.body).toBe('');
  });

  test('Latency holds the answer back.', async () => {
    const server = await start({ latency: 60 });
    const from = clock.now();
    await send(server.url);
    expect(clock.now() - from).toBeGreaterThanOrEqual(59);
  });

  test('A drip sends the body piece by piece.', async () => {
    const server = await start({ body: 'abcdef', drip: { every: 20, bytes: 2 } });
    const from = clock.now();
    expect((await send(server.url)).body).toBe('abcdef');
    expect(clock.now() - from).toBeGreaterThanOrEqual(39);
  });

  test('A script that is none is refused by name and value.', async () => {
    await expect(flakyServer([200, 99])).rejects.toThrow('a step is a status from 200 to 599');
    await expect(flakyServer({ spans: [{ reply: { status: 700 } }] })).rejects.toThrow('got 700');
    await expect(flakyServer(null as unknown as number)).rejects.toThrow('got null');
  });
});

describe('how it fails', () => {
  test('A reset before the body leaves the body unread, one after it has all of it.', async () => {
    const server = await start([{ reset: 'before-body', latency: 5 }, { reset: 'after-body' }]);
    await expect(send(server.url, { method: 'POST', body: 'x' })).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
    await expect(send(server.url, { method: 'POST', body: 'all' })).rejects.toMatchObject({
      code: 'ECONNRESET',
    });
    await until(() => server.hits[1]?.closedAt !== undefined);
    expect(server.hits[1]).toMatchObject({ complete: true, body: 'all', answeredAt: undefined });
    expect(server.hits[1]?.closedAt).toBeGreaterThanOrEqual(server.hits[1]?.at ?? 0);
  });

  test('A reset before the body does not wait for a body that never ends.', async () => {
    const server = await start({ reset: 'before-body' });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => socket.destroy());
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\npart');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(server.hits[0]).toMatchObject({ complete: false });
  });

  test('A stall reads the request and answers nothing, until the client leaves.', async () => {
    const server = await start({ stall: true });
    const controller = new AbortController();
    const answer = send(server.url, { method: 'POST', body: 'hello', signal: controller.signal });
    await server.waitForHits(1);
    await until(() => server.hits[0]?.complete === true);
    controller.abort();
    await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
    await until(() => server.hits[0]?.closedAt !== undefined);
    expect(server.hits[0]).toMatchObject({ body: 'hello', answeredAt: undefined });
  });

  test('A stalled body comes by half and no further.', async () => {
    const server = await start({ body: 'abcdef', stallBody: true });
    const request = httpRequest(server.url, { agent: new Agent() }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const [first] = await once(response, 'data');
    expect(String(first)).toBe('abc');
    expect(response.complete).toBe(false);
    request.on('error', () => undefined);
    request.destroy();
  });

  test('A truncated body ends after so many bytes, or after half.', async () => {
    const server = await start([
      { body: 'abcdef', truncate: 2 },
      { body: 'abcdef', truncate: true },
    ]);
    expect(await send(server.url)).toMatchObject({ status: 200, body: 'ab', cut: true });
    expect(await send(server.url)).toMatchObject({ status: 200, body: 'abc', cut: true });
  });

  test('With close the connection ends after the answer.', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const server = await start([{ close: true }, 200, 200]);
    for (let i = 0; i < 3; i++) await send(server.url, { agent });
    agent.destroy();
    expect(server.hits.map(({ connection }) => connection)).toEqual([1, 2, 2]);
  });
});

describe('what changes while it runs', () => {
  test('Time spans win over request numbers while they last, and begin anew with each script.', async () => {
    const time = manualClock();
    const plan = { spans: [{ from: 10, to: 80, reply: 503 }], requests: [200, 201] };
    const server = await start(plan, { clock: time });
    const statuses: number[] = [];
    for (const ms of [9, 1, 69, 1]) {
      time.tick(ms);
      statuses.push((await send(server.url)).status);
    }
    expect(statuses).toEqual([200, 503, 503, 201]);
    server.script(plan);
    time.tick(10);
    expect((await send(server.url)).status).toBe(503);
  });

  test('A new script starts its request numbers anew.', async () => {
    const server = await start([500, 501]);
    await send(server.url);
    server.script([502, 503]);
    expect((await send(server.url)).status).toBe(502);
    expect(server.hits[1]).toMatchObject({ number: 2, step: 1 });
  });

  test('Down gives every request one step, and up goes back to the script.', async () => {
    const server = await start();
    await server.down();
    expect((await send(server.url)).status).toBe(503);
    await server.down({ status: 500, body: 'broken' });
    expect(await send(server.url)).toMatchObject({ status: 500, body: 'broken' });
    await server.up();
    expect((await send(server.url)).status).toBe(200);
  });

  test('Down by refusal resets what is open and refuses what is new, and up listens on the same port.', async () => {
    const server = await start([{ stall: true }, 200]);
    const { url } = server;
    const hanging = send(url);
    await server.waitForHits(1);
    const [broken] = await Promise.allSettled([hanging, server.down('refuse')]);
    expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'ECONNRESET' } });
    await expect(send(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await server.up();
    expect((await send(url)).status).toBe(200);
    expect(server.count()).toBe(2);
  });
});

describe('what it remembers', () => {
  test('Each hit has method, path, headers, body and times.', async () => {
    const server = await start();
    await send(`${server.url}/v1/x?q=1`, { method: 'POST', body: 'payload' });
    const [hit] = server.hits;
    expect(hit).toMatchObject({
      number: 1,
      method: 'POST',
      url: '/v1/x?q=1',
      path: '/v1/x',
      body: 'payload',
    });
    expect(hit?.headers['content-length']).toBe('7');
    expect(hit?.answeredAt).toBeGreaterThanOrEqual(hit?.at ?? Number.POSITIVE_INFINITY);
    expect(hit?.closedAt).toBeUndefined();
  });

  test('Hits are counted in total and by path.', async () => {
    const server = await start();
    for (const path of ['/a', '/b?x', '/a']) await send(server.url + path);
    expect(server.count()).toBe(3);
    expect(server.count('/a')).toBe(2);
    expect(server.counts()).toEqual({ '/a': 2, '/b': 1 });
  });

  test('Connections are counted: open, the most at once, and all.', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    const server = await start({ latency: 10 });
    await Promise.all([1, 2, 3, 4].map(() => send(server.url, { agent })));
    expect(server.connections).toEqual({ open: 2, peak: 2, total: 2 });
    agent.destroy();
  });

  test('Waiting for hits ends with the last of them.', async () => {
    const server = await start();
    const waiting = server.waitForHits(2);
    await Promise.all([send(server.url), send(server.url), send(server.url)]);
    expect(await waiting).toHaveLength(2);
    expect(await server.waitForHits(3)).toHaveLength(3);
  });

  test('Waiting for hits that do not come ends in time and says how many came.', async () => {
    const server = await start();
    await send(server.url);
    await expect(server.waitForHits(2, 30)).rejects.toThrow('1 of 2 requests reached the server in 30 ms');
  });
});

test('Close ends hanging requests and may be called twice.', async () => {
  const server = await flakyServer({ stall: true });
  const hanging = send(server.url);
  await server.waitForHits(1);
  const [broken] = await Promise.allSettled([hanging, server.close(), server.close()]);
  expect(broken).toMatchObject({ status: 'rejected', reason: { code: 'ECONNRESET' } });
  expect(server.connections.open).toBe(0);
  await expect(send(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
