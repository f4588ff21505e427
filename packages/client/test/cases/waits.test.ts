import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { createSpillway, type DependencyConfig } from '@spillway/core';
import { manualClock, scriptedTransport, type TransportScript } from '@spillway/testing';
import { inboundCall } from '../support/inbound.js';
import { cleanUp, delay, errorOf, scene, serve, wire } from '../support/scene.js';

const PLAIN = { base: '400ms', factor: 1, cap: '400ms', jitter: 'none' } as const;

/** A client whose network is a script under a manual clock. */
function scripted(script: TransportScript, policy: DependencyConfig<never> = {}) {
  const clock = manualClock();
  const at: number[] = [];
  const quotes = scriptedTransport(script, { clock });
  const timed = (request: Parameters<typeof quotes>[0]) => {
    at.push(clock.now());
    return quotes(request);
  };
  const retry = { attempts: 3, backoff: PLAIN, budget: false } as const;
  const options = { clock, random: () => 0, transports: { quotes: timed } };
  const wired = wire('http://quotes.test', { deadline: '5m', retry, ...policy }, options);
  return { ...wired, clock, at, quotes };
}

/** Moves time on until the promise has settled, a hundredth of a second after the other. */
async function play(clock: ReturnType<typeof manualClock>, done: Promise<unknown>): Promise<void> {
  let isDone = false;
  const end = () => {
    isDone = true;
  };
  done.then(end, end);
  for (let step = 0; !isDone && step < 2000; step++) {
    for (let turn = 0; turn < 20; turn++) await new Promise<void>((resolve) => void setImmediate(resolve));
    if (!isDone) await clock.advance(10);
  }
}

const asking = (value: string, status = 503) => ({ status, headers: { 'retry-after': value } });

describe('the waits of a client', () => {
  test('C-051 take Retry-After: 0 for now, within all other bounds', async () => {
    const now = scripted([asking('0'), 200]);
    const answered = now.client.get('a');
    await play(now.clock, answered);
    expect((await answered).statusCode).toBe(200);
    expect(now.at).toHaveLength(2);
    expect(now.at[1]).toBeLessThanOrEqual(10);

    const attempts = scripted(asking('0'));
    const spent = errorOf(attempts.client.get('a'));
    await play(attempts.clock, spent);
    expect([(await spent).stopped, attempts.quotes.count]).toEqual(['attempts', 3]);

    const budget = { ratio: 0, window: '10s', minPerSecond: 0.1 } as const;
    const poor = scripted(asking('0'), { retry: { attempts: 5, backoff: PLAIN, budget } });
    const stopped = errorOf(poor.client.get('a'));
    await play(poor.clock, stopped);
    expect([(await stopped).stopped, poor.quotes.count]).toEqual(['budget', 2]);

    const open = scripted(asking('0'), { breaker: { consecutive: 1 } });
    expect((await errorOf(open.client.get('a'))).stopped).toBe('breaker');
    expect(open.quotes.count).toBe(1);

    const invalid = scripted([asking('invalid'), 200]);
    const late = invalid.client.get('a');
    await play(invalid.clock, late);
    await late;
    expect(invalid.at).toEqual([0, 400]);
  }, 30_000);

  test('C-054 are not begun when they are longer than allowed', async () => {
    const retry = { attempts: 3, backoff: PLAIN, budget: false, maxRetryAfter: 60_000 } as const;
    const hour = scripted(asking('3600'), { retry });
    const error = await errorOf(hour.client.get('a'));
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      status: 503,
      stopped: 'retry-after',
      retryAfterMs: 3_600_000,
      headers: { 'Retry-After': '3600' },
    });
    expect([hour.quotes.count, hour.clock.now(), hour.clock.pending]).toEqual([1, 0, 0]);

    const short = scripted(asking('20'), { deadline: '10s' });
    const atOnce = await errorOf(short.client.get('a'));
    expect(atOnce).toMatchObject({ stopped: 'retry-after', retryAfterMs: 20_000 });
    expect([short.quotes.count, short.clock.now(), short.clock.pending]).toEqual([1, 0, 0]);
  }, 30_000);

  test('C-058 end before they begin when the inherited deadline is past', async () => {
    const { server, spillway } = await scene(200);
    const parent = inboundCall(spillway, { method: 'GET' }, -1);
    const late = await errorOf(clients(spillway, { parent })('quotes').get('a'));
    expect(late).toMatchObject({ code: 'ERR_DEADLINE_EXCEEDED', status: 504 });
    await delay(20);
    expect([server.count(), server.connections.peak]).toEqual([0, 0]);

    let reached = 0;
    let next = (await serve((_, res) => res.end('the end'))).url;
    for (let hop = 6; hop >= 1; hop--) {
      const dependencies = { quotes: { baseUrl: next, retry: false } } as const;
      const service = createSpillway({ dependencies });
      cleanUp(() => service.close());
      const { url } = await serve(async (req, res) => {
        reached++;
        const inbound = service.inbound.enter(req, res);
        await delay(15);
        const { call } = inbound;
        const below = clients(service, { parent: call })('quotes').get('').text();
        const answer = await below.catch(() => undefined);
        if (res.writableEnded) return;
        res.statusCode = answer === undefined ? 504 : 200;
        res.end(answer);
      });
      next = url;
    }
    const { client } = wire(next, { retry: false, deadline: '50ms', attempt: { min: '1ms' } });
    expect(['ERR_DEADLINE_EXCEEDED', 'ERR_UPSTREAM']).toContain((await errorOf(client.get(''))).code);
    await delay(150);
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThanOrEqual(4);
  }, 30_000);

  test('C-060 are told to the dependency: never more than is left, and anew on each attempt', async () => {
    const budgetOf = async (leftMs: number): Promise<string | undefined> => {
      const { spillway, quotes } = scripted(200, { deadline: false, attempt: { timeout: false } });
      const parent = inboundCall(spillway, { method: 'GET' }, leftMs);
      await clients(spillway, { parent })('quotes')
        .get('a')
        .catch(() => undefined);
      return quotes.requests[0]?.headers['x-request-budget-ms'] as string | undefined;
    };
    expect(await budgetOf(-3)).toBeUndefined();
    expect([undefined, '1']).toContain(await budgetOf(0.4));
    expect(await budgetOf(172_800_000)).toBe('172800000');
    expect(await budgetOf(1234.9)).toBe('1234');

    const { client, clock, quotes } = scripted([503, 503, 200], {
      deadline: '2s',
      attempt: { timeout: false },
    });
    const headers = { 'x-request-budget-ms': '999999' };
    const done = client.get('a', { headers });
    await play(clock, done);
    await done;
    expect(quotes.requests.map((request) => request.headers['x-request-budget-ms'])).toEqual([
      '2000',
      '1600',
      '1200',
    ]);
  }, 30_000);

  test('F-13 end at the deadline before a dependency that says nothing', async () => {
    const { client, clock, quotes } = scripted(
      { hang: true },
      { deadline: '200ms', retry: { attempts: 3, backoff: { base: 1, cap: 1 } } },
    );
    let endedAt = -1;
    const done = errorOf(client.get('a')).finally(() => {
      endedAt = clock.now();
    });
    await play(clock, done);
    expect(await done).toMatchObject({ status: 504, stopped: 'deadline' });
    expect([endedAt, quotes.count, clock.pending]).toEqual([200, 1, 0]);
  }, 30_000);

  test('F-16 are followed by a retry when an idempotent attempt times out', async () => {
    const { client, clock, at } = scripted([{ hang: true }, 200], { attempt: { timeout: '1s' } });
    const done = client.get('a');
    await play(clock, done);
    expect((await done).statusCode).toBe(200);
    expect(at).toEqual([0, 1400]);
  }, 30_000);
});
