import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { memoryStore } from '@spillway/idempotency/memory';
import { type Exchange, FRAMEWORKS, type RunningApp } from '../support/frameworks.js';
import { eventually, gate, post } from '../support/wire.js';

const apps: RunningApp[] = [];
afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

/** The framework's own way to answer with a stream. */
function streams(x: Exchange): unknown {
  const source = Readable.from(['a', 'b']);
  if ('status' in x.res) return source.pipe(x.res);
  return x.send(201, {}, source);
}

const BODY = '{"amount":1}';

describe.each(FRAMEWORKS)('%s', (_name, framework) => {
  /** Serves `answer`, sends a request under K, hangs up while the handler runs, and lets it go on. */
  async function leave(answer: (x: Exchange) => unknown, begin: (x: Exchange) => void = () => {}) {
    const finish = gate();
    let runs = 0;
    let isGone = false;
    const app = await framework.serve({ store: memoryStore(), required: true }, async (x) => {
      const run = ++runs;
      if (run > 1) return x.send(201, {}, { run });
      x.res.once('close', () => {
        isGone = true;
      });
      begin(x);
      await finish.opened;
      return answer(x);
    });
    apps.push(app);
    const socket = connect(app.port, '127.0.0.1');
    const head = 'POST /p HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: K';
    socket.write(`${head}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
    await eventually('the handler runs', () => runs === 1);
    socket.destroy();
    await eventually('the server has seen that the client left', () => isGone);
    finish.open();
    return { retry: () => post(`${app.url}/p`, 'K'), runs: () => runs };
  }

  test('keeps the whole answer of a handler that ends after the server has seen its client leave', async () => {
    const { retry, runs } = await leave((x) => x.send(201, { 'X-Kind': 'made' }, { run: 1 }));
    await eventually('the answer is stored', async () => (await retry()).status === 201);
    const replay = await retry();
    expect([replay.headers['idempotent-replayed'], replay.headers['x-kind']]).toEqual(['true', 'made']);
    expect(replay.json()).toEqual({ run: 1 });
    expect(runs()).toBe(1);
  });

  test('frees the key when a handler fails after its client has left', async () => {
    const { retry, runs } = await leave(() => {
      throw new Error('boom');
    });
    await eventually('the key is free', async () => (await retry()).status === 201);
    expect(runs()).toBe(2);
  });

  test('never runs a handler again that answers with a stream after its client has left', async () => {
    const { retry, runs } = await leave((x) => streams(x));
    await eventually('the key is decided', async () => !(await retry()).text.includes('in-progress'));
    expect(
      (await retry()).headers['idempotent-replayed'] ?? (await retry()).headers['idempotent-stored'],
    ).toBe(framework.name.startsWith('express') ? 'true' : 'false');
    expect(runs()).toBe(1);
  });

  test('keeps a piped answer whole though nobody reads it any more', async () => {
    const { retry, runs } = await leave((x) =>
      x.raw((res) => void Readable.from(['a', 'b', 'c']).pipe(res.writeHead(201))),
    );
    await eventually('the answer is stored', async () => (await retry()).status === 201);
    expect((await retry()).text).toBe('abc');
    expect(runs()).toBe(1);
  });

  test('tells the retry that a piped answer was not kept when its client left in the middle', async () => {
    const { retry, runs } = await leave(
      () => undefined,
      (x) => x.raw((res) => void new Readable({ read() {} }).pipe(res.writeHead(201))),
    );
    const again = await retry();
    expect([again.status, again.headers['idempotent-stored']]).toEqual([409, 'false']);
    expect(runs()).toBe(1);
  });

  test('frees the key of an answer whose stream fails in the middle', async () => {
    let runs = 0;
    const app = await framework.serve({ store: memoryStore(), required: true }, (x) => {
      if (++runs > 1) return x.send(201, {}, { run: runs });
      return x.raw((res) => {
        res.write('part');
        res.destroy(new Error('the source failed'));
      });
    });
    apps.push(app);
    await expect(post(`${app.url}/p`, 'K')).rejects.toThrow();
    await eventually('the key is free', async () => (await post(`${app.url}/p`, 'K')).status === 201);
    expect(runs).toBe(2);
  });
});
