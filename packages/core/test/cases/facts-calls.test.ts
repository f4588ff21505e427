import { describe, expect, test } from '@jest/globals';
import type { AttemptContext, DependencyConfig } from '../../src/index.js';
import { bad, codesOf, errorOf, good, Held, single } from './support/single.js';

const plain = { base: '1s', factor: 1, cap: '1s', jitter: 'none' } as const;

function retrying(retry: DependencyConfig['retry'] & object, policy: DependencyConfig = {}) {
  return single({ breaker: false, bulkhead: false, ...policy, retry: { budget: false, ...retry } });
}

const asking = (retryAfter: number) => async () =>
  new Response(null, { status: 429, headers: { 'retry-after': String(retryAfter) } });

describe('what retries and waits get wrong', () => {
  test('F-01 an abort ends a back-off and calls nobody', async () => {
    const { clock, dep } = retrying({ attempts: 3, backoff: plain });
    let calls = 0;
    const work = () => {
      calls++;
      return bad();
    };
    const controller = new AbortController();
    let endedAt = -1;
    const done = dep.settle(work, { idempotent: true, signal: controller.signal }).finally(() => {
      endedAt = clock.now();
    });
    await clock.advanceTo(50);
    controller.abort(new Error('enough'));
    await clock.advanceTo(5000);
    expect((await done).error).toBe(controller.signal.reason);
    expect([endedAt, calls]).toEqual([50, 1]);
  });

  test('F-02 three attempts are three calls', async () => {
    const { clock, dep, now } = retrying({ attempts: 3, backoff: plain });
    let calls = 0;
    const done = dep.settle(
      () => {
        calls++;
        return bad();
      },
      { idempotent: true },
    );
    await clock.runToIdle();
    expect(errorOf(await done)).toMatchObject({ stopped: 'attempts', attempts: 3 });
    expect([calls, now().attempts, now().retries]).toEqual([3, 3, 2]);
  });

  test('F-14 a retry never comes before the time that was asked for', async () => {
    const at: number[] = [];
    const capped = retrying(
      { attempts: 2, backoff: { base: '400ms', cap: '400ms', jitter: 'none' } },
      { deadline: '30s' },
    );
    const done = capped.dep.settle(
      async (): Promise<unknown> => {
        at.push(capped.clock.now());
        return at.length === 1 ? asking(3)() : good();
      },
      { idempotent: true },
    );
    await capped.clock.runToIdle();
    expect(await done).toEqual({ ok: true, value: 'fine' });
    expect(at[1]).toBeGreaterThanOrEqual(3000);
    expect(at[1]).toBeLessThanOrEqual(3300);

    const minute = retrying({ attempts: 2, backoff: plain, maxRetryAfter: '30s' }, { deadline: '5m' });
    const stopped = await minute.dep.settle(asking(60), { idempotent: true });
    expect(errorOf(stopped)).toMatchObject({ stopped: 'retry-after', retryAfterMs: 60_000, attempts: 1 });
  });

  test('F-15 a wait of a day parks nobody', async () => {
    const { clock, dep } = retrying({ attempts: 3, backoff: plain }, { deadline: false });
    const outcome = await dep.settle(asking(86_400), { idempotent: true });
    expect(errorOf(outcome)).toMatchObject({ stopped: 'retry-after', retryAfterMs: 86_400_000, status: 503 });
    expect([clock.now(), clock.pending]).toEqual([0, 0]);
  });

  test('F-17 a queued call leaves its place in the turn of its abort', async () => {
    const { dep, now } = single({ breaker: false, bulkhead: { concurrent: 1, queue: 1, wait: '1s' } });
    const upstream = new Held();
    void dep.settle(upstream.work);
    const controller = new AbortController();
    const queued = dep.settle(good, { signal: controller.signal });
    await Promise.resolve();
    await new Promise<void>((resolve) => void setImmediate(resolve));
    expect(now().bulkhead).toMatchObject({ queued: 1 });
    controller.abort();
    expect(now().bulkhead).toMatchObject({ queued: 0, inUse: 1 });
    expect((await queued).error).toBe(controller.signal.reason);
    expect(upstream.calls).toHaveLength(1);
  });

  test('F-18 a fallback gets the failure and its cause, and its value is the result', async () => {
    const down = new Error('down');
    const { dep } = single({
      retry: false,
      fallback: (failure) => ({ code: failure.code, cause: failure.cause }),
    });
    const result = await dep.call(() => Promise.reject(down), { idempotent: true });
    expect(result).toEqual({ code: 'ERR_UPSTREAM', cause: down });
  });

  test('F-21 nobody overtakes whoever waits, not even in the same microtask', async () => {
    const { clock, dep } = single({ breaker: false, bulkhead: { concurrent: 1, queue: 1, wait: '1s' } });
    const order: string[] = [];
    const upstream = new Held();
    const named = (name: string) => () => {
      order.push(name);
      return upstream.work();
    };
    const first = dep.settle(named('first'));
    const queued = dep.settle(named('queued'));
    await clock.advance(0);
    const newcomers: Promise<unknown>[] = [];
    upstream.calls[0]?.resolve('fine');
    for (let turn = 0; turn < 8; turn++) {
      newcomers.push(dep.settle(named('newcomer')));
      await Promise.resolve();
    }
    await first;
    expect(order.slice(0, 2)).toEqual(['first', 'queued']);
    upstream.succeed(1);
    expect((await queued).ok).toBe(true);
    expect(newcomers).toHaveLength(8);
  });

  test('F-22 work that outlives its call keeps its unit', async () => {
    const { clock, dep } = single({
      breaker: false,
      retry: false,
      attempt: { timeout: '50ms' },
      bulkhead: { concurrent: 2, queue: 0, wait: 0, detachAfter: '30s' },
    });
    let running = 0;
    let most = 0;
    const slow = () => {
      running++;
      most = Math.max(most, running);
      return new Promise<void>(() => undefined);
    };
    const codes: string[] = [];
    for (let at = 0; at <= 1000; at += 100) {
      await clock.advanceTo(at);
      void dep.settle(slow).then((outcome) => codes.push(...codesOf([outcome])));
    }
    await clock.advance(100);
    expect([running, most]).toEqual([2, 2]);
    expect(codes.filter((code) => code === 'ERR_BULKHEAD_FULL')).toHaveLength(9);
  });

  test('F-25 an empty budget is asked before the wait, and does not hide the failure', async () => {
    const { clock, dep, of } = retrying({
      attempts: 3,
      backoff: plain,
      budget: { ratio: 0, minPerSecond: 0.1 },
    });
    const down = new Error('down');
    const first = dep.settle(() => Promise.reject(down), { idempotent: true });
    await clock.runToIdle();
    expect(errorOf(await first)).toMatchObject({ stopped: 'budget', attempts: 2 });
    const began = clock.now();
    const outcome = await dep.settle(() => Promise.reject(down), { idempotent: true });
    expect(errorOf(outcome)).toMatchObject({
      code: 'ERR_UPSTREAM',
      stopped: 'budget',
      attempts: 1,
      cause: down,
    });
    expect([clock.now() - began, clock.pending]).toEqual([0, 0]);
    expect(of('retry.scheduled')).toHaveLength(1);
  });

  test('F-28 a wait that leaves no time stops at once, 0 is now, and stop is another value', async () => {
    const fails = async ({ number }: AttemptContext) => {
      if (number < 3) throw new Error('down');
      return 'fine';
    };
    const late = retrying({ attempts: 3, backoff: { ...plain, base: '960ms', cap: '960ms' } });
    const outcome = await late.dep.settle(fails, { idempotent: true, deadline: '1s' });
    expect(errorOf(outcome)).toMatchObject({ stopped: 'deadline' });
    expect([late.clock.now(), late.clock.pending]).toEqual([0, 0]);

    const atOnce = retrying({ attempts: 3, backoff: () => 0 });
    const done = atOnce.dep.settle(fails, { idempotent: true });
    await atOnce.clock.runToIdle();
    expect(await done).toEqual({ ok: true, value: 'fine' });
    expect(atOnce.clock.now()).toBe(0);

    const stop = retrying({ attempts: 3, backoff: () => 0 });
    const told = await stop.dep.settle(fails, { idempotent: true, classify: () => ({ retry: false }) });
    expect(errorOf(told)).toMatchObject({ stopped: 'not-retryable', attempts: 1 });
  });
});
