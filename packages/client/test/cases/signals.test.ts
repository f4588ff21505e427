import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { after, spillwayError, type TransportRequest } from '@spillway/core';
import { manualClock, scriptedTransport } from '@spillway/testing';
import { inboundCall } from '../support/inbound.js';
import { errorOf, eventually, headersIn, scene, serve, wire } from '../support/scene.js';

const ONCE = { retry: false } as const;

/** Lets got read what a transport has answered; no time passes. */
async function turns(count = 30): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise<void>((resolve) => void setImmediate(resolve));
}

describe('the signals of a client', () => {
  test('C-025 are fresh for every request and every attempt', async () => {
    const clock = manualClock();
    const { client, server } = await scene(
      [{ stall: true }, 200, 200, 200, 200],
      { ...ONCE, attempt: { timeout: '100ms' } },
      { clock },
    );
    const first = errorOf(client.get('a'));
    await server.waitForHits(1);
    await clock.advance(100);
    expect((await first).cause.code).toBe('ERR_ATTEMPT_TIMEOUT');
    for (let i = 2; i <= 5; i++) expect((await client.get('a')).statusCode).toBe(200);

    const { spillway } = wire('http://quotes.test', { attempt: { timeout: '100ms' } }, { clock });
    const aborted: boolean[][] = [];
    const signals: AbortSignal[] = [];
    const done = spillway.dependency('quotes').call(
      ({ number, signal }) => {
        signals.push(signal);
        aborted.push(signals.map((one) => one.aborted));
        return number === 1 ? new Promise(() => undefined) : 'fine';
      },
      { idempotent: true },
    );
    await clock.advance(200);
    expect(await done).toBe('fine');
    expect(aborted).toEqual([[false], [true, false]]);
  }, 30_000);

  test('C-026 cancel one request when one times out', async () => {
    const clock = manualClock();
    const answers: (() => void)[] = [];
    let disconnects = 0;
    const { url } = await serve((_, res) => {
      answers.push(() => res.end('fine'));
      res.on('close', () => {
        if (!res.writableFinished) disconnects++;
      });
    });
    const { client } = wire(url, { ...ONCE, attempt: { timeout: '100ms' } }, { clock });
    const slow = errorOf(client.get('slow').text());
    await eventually(() => answers.length === 1);
    await clock.advance(50);
    const others = Array.from({ length: 9 }, () => client.get('quick').text());
    await eventually(() => answers.length === 10);
    await clock.advance(50);
    expect((await slow).cause.code).toBe('ERR_ATTEMPT_TIMEOUT');
    await eventually(() => disconnects === 1);
    for (const answer of answers.slice(1)) answer();
    expect(await Promise.all(others)).toEqual(Array.from({ length: 9 }, () => 'fine'));
    expect(disconnects).toBe(1);
  }, 30_000);

  test('F-07 leave an unrelated healthy request alone', async () => {
    const clock = manualClock();
    const script = ({ url }: TransportRequest) =>
      url.endsWith('slow') ? { hang: true as const } : { latency: 60 };
    const quotes = scriptedTransport(script, { clock });
    const policy = { ...ONCE, attempt: { timeout: '100ms' } } as const;
    const { client } = wire('http://quotes.test', policy, { clock, transports: { quotes } });
    const slow = errorOf(client.get('slow'));
    await turns();
    await clock.advance(70);
    const healthy = client.get('healthy');
    await turns();
    await clock.advance(30);
    expect((await slow).cause.code).toBe('ERR_ATTEMPT_TIMEOUT');
    await clock.advance(30);
    expect((await healthy).statusCode).toBe(200);
    expect(quotes.requests.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  }, 30_000);

  test('C-029 leave no timer behind when they abort', async () => {
    const clock = manualClock();
    const quotes = scriptedTransport({ hang: true }, { clock });
    const policy = { attempt: { timeout: '1s' } } as const;
    const { client } = wire('http://quotes.test', policy, { clock, transports: { quotes } });
    const controller = new AbortController();
    const reason = new Error('enough');
    const ends: unknown[] = [];
    const done = client.get('a', { signal: controller.signal }).then(
      () => ends.push('resolved'),
      (error: unknown) => ends.push(error),
    );
    await turns();
    await clock.advance(100);
    controller.abort(reason);
    await done;
    await turns();
    expect(clock.pending).toBe(0);
    await clock.advance(4900);
    await turns();
    expect(ends).toEqual([reason]);
    expect(quotes.count).toBe(1);
  }, 30_000);

  test('C-030 win against a retry that is due at the same instant, whichever comes first', async () => {
    const backoff = { base: '1s', cap: '1s', jitter: 'none' } as const;
    for (const order of ['cancel first', 'retry first']) {
      const clock = manualClock();
      const quotes = scriptedTransport(503, { clock });
      const policy = { deadline: '1s', attempt: { min: 0 }, retry: { attempts: 3, backoff } } as const;
      const { spillway, events } = wire('http://quotes.test', policy, { clock, transports: { quotes } });
      const parent = inboundCall(spillway, { method: 'GET' }, 1000);
      const cancel = () =>
        after(clock, 1000, () => parent.cancel(spillwayError('ERR_DEADLINE_EXCEEDED', 'The time is up')));
      if (order === 'cancel first') cancel();
      let settled = 0;
      const done = errorOf(clients(spillway, { parent })('quotes').get('a')).finally(() => {
        settled++;
      });
      await turns();
      expect(events.filter(({ type }) => type === 'retry.scheduled')).toHaveLength(1);
      if (order === 'retry first') cancel();
      await clock.advance(5000);
      await turns();
      await done;
      expect([settled, quotes.count, clock.pending]).toEqual([1, 1, 0]);
    }
  }, 30_000);

  test('C-034 give the unit back wherever in an answer they abort', async () => {
    const { url } = await serve((req, res) => {
      if (req.url === '/ok') res.end('fine');
      if (req.url === '/headers') res.flushHeaders();
      if (req.url === '/body') res.write('half');
    });
    const { client, spillway } = wire(url, { ...ONCE, bulkhead: { concurrent: 1, queue: 0, wait: 0 } });
    const inUse = () => spillway.snapshot().dependencies[0]?.bulkhead?.inUse;
    for (const path of ['nothing', 'headers', 'body']) {
      const controller = new AbortController();
      const seen = path === 'nothing' ? Promise.resolve() : headersIn();
      const done = errorOf(client.get(path, { signal: controller.signal }));
      await seen;
      await turns();
      expect(inUse()).toBe(1);
      controller.abort(new Error(path));
      expect((await done).message).toBe(path);
      await eventually(() => inUse() === 0);
      expect(await client.get('ok').text()).toBe('fine');
    }
    expect(spillway.snapshot().dependencies[0]?.bulkhead).toMatchObject({ inUse: 0, detached: 0 });
  }, 30_000);
});
