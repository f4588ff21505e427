import { describe, expect, test } from '@jest/globals';
import { backoffDelay } from '../../src/algorithms/backoff.js';
import { createSpillway, type DependencyConfig } from '../../src/index.js';
import { bad, errorOf, good, hang, single } from './support/single.js';

const plain = { base: '100ms', factor: 2, cap: '10s', jitter: 'none' } as const;

/** Retries and nothing that stops them early. */
function retrying(retry: DependencyConfig['retry'] & object, policy: DependencyConfig = {}) {
  return single({ breaker: false, bulkhead: false, ...policy, retry: { budget: false, ...retry } });
}

/** Fails always, and knows when it was called. */
function failing(clock: { now(): number }, work: () => Promise<unknown> = bad) {
  const at: number[] = [];
  const run = () => {
    at.push(clock.now());
    return work();
  };
  return { at, run };
}

describe('a retry', () => {
  test('C-045 ends in the turn of its abort, inside an attempt and inside a sleep', async () => {
    for (const [abortAt, work] of [
      [1000, hang],
      [3000, bad],
    ] as const) {
      const { clock, dep } = retrying(
        { attempts: 3, backoff: { ...plain, base: '10s' } },
        { attempt: { timeout: '5s' }, deadline: '60s' },
      );
      const { at, run } = failing(clock, work);
      const controller = new AbortController();
      const reason = new Error('enough');
      let endedAt = -1;
      const done = dep.settle(run, { idempotent: true, signal: controller.signal });
      void done.then(() => {
        endedAt = clock.now();
      });
      await clock.advanceTo(abortAt);
      expect(endedAt).toBe(-1);
      controller.abort(reason);
      expect(clock.pending).toBe(0);
      expect((await done).error).toBe(reason);
      await clock.advance(60_000);
      expect([at, endedAt]).toEqual([[0], abortAt]);
    }
  });

  test('C-048 counts the first attempt, and waits the base before the second', async () => {
    const { clock, dep } = retrying({ attempts: 3, backoff: plain });
    const { at, run } = failing(clock);
    let endedAt = -1;
    const done = dep.settle(run, { idempotent: true }).finally(() => {
      endedAt = clock.now();
    });
    await clock.runToIdle();
    expect(errorOf(await done)).toMatchObject({ stopped: 'attempts', attempts: 3 });
    expect([at, endedAt]).toEqual([[0, 100, 300], 300]);

    const once = retrying({ attempts: 1, backoff: plain });
    const only = failing(once.clock);
    expect(errorOf(await once.dep.settle(only.run, { idempotent: true })).attempts).toBe(1);
    expect([only.at, once.clock.pending]).toEqual([[0], 0]);
    expect(() => createSpillway({ dependencies: { dep: { retry: { attempts: 0 } } } })).toThrow(
      'dependencies.dep.retry.attempts is 0',
    );
  });

  test('C-049 waits a finite time however many came before it', () => {
    const backoff = { baseMs: 100, factor: 2, capMs: 30_000 };
    const isWait = (ms: number) => ms >= 0 && ms <= 30_000;
    for (const jitter of ['none', 'full', 'equal', 'decorrelated'] as const) {
      const bounds: number[] = [0];
      const wrong: number[] = [];
      for (let retry = 0; retry <= 2000; retry++) {
        const before = bounds.at(-1) as number;
        const waitOf = (luck: number) => backoffDelay({ ...backoff, jitter }, retry, () => luck, before);
        wrong.push(...[0, 0.5, 0.999999].map(waitOf).filter((ms) => !isWait(ms)));
        bounds.push(waitOf(0.999999));
      }
      expect(wrong).toEqual([]);
      expect(bounds).toEqual([...bounds].sort((a, b) => a - b));
      expect(bounds.at(-1)).toBeGreaterThan(29_000);
    }
  });

  test('C-057 keeps the time of one attempt apart from the time of all', async () => {
    const hanging = retrying(
      { attempts: 3, backoff: { ...plain, base: '200ms', factor: 1 } },
      { attempt: { timeout: '1s' }, deadline: '2.5s' },
    );
    const { at, run } = failing(hanging.clock, hang);
    let endedAt = -1;
    const done = hanging.dep.settle(run, { idempotent: true }).finally(() => {
      endedAt = hanging.clock.now();
    });
    await hanging.clock.advance(5000);
    expect([at, endedAt]).toEqual([[0, 1200, 2400], 2500]);
    expect(errorOf(await done)).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'deadline', status: 504 });

    const { clock, dep } = retrying(
      { attempts: 3, backoff: { ...plain, base: '800ms' } },
      { attempt: { timeout: '1s' }, deadline: '1s' },
    );
    const late = dep.settle(
      async () => {
        await new Promise<void>((resolve) => void setImmediate(resolve));
        clock.tick(500);
        throw new Error('down');
      },
      { idempotent: true },
    );
    expect(errorOf(await late)).toMatchObject({ stopped: 'deadline', attempts: 1 });
    expect([clock.now(), clock.pending]).toEqual([500, 0]);
  });

  test('C-061 is granted to a lone failure, and to all of few that fail together', async () => {
    const once = () => {
      let calls = 0;
      return async () => {
        calls++;
        if (calls === 1) throw new Error('down');
        return 'fine';
      };
    };
    const floor = { ratio: 0.2, window: '10s', minPerSecond: 0.3 } as const;
    const lone = retrying({ attempts: 2, backoff: plain, budget: floor });
    const retried = lone.dep.settle(once(), { idempotent: true });
    await lone.clock.runToIdle();
    expect(await retried).toEqual({ ok: true, value: 'fine' });

    const whole = { ratio: 1, window: '10s', minPerSecond: 0, concurrent: { ratio: 1, min: 0 } } as const;
    const six = retrying({ attempts: 2, backoff: plain, budget: whole });
    const all = Array.from({ length: 6 }, () => six.dep.settle(once(), { idempotent: true }));
    await six.clock.runToIdle();
    expect((await Promise.all(all)).map(({ ok }) => ok)).toEqual(Array.from({ length: 6 }, () => true));
    expect(six.now()).toMatchObject({ retries: 6, budget: { granted: 6, retrying: 0 } });

    const cut = retrying({ attempts: 2, backoff: plain, budget: floor });
    const controller = new AbortController();
    const sleeping = cut.dep.settle(bad, { idempotent: true, signal: controller.signal });
    await cut.clock.advance(50);
    expect(cut.now().budget).toMatchObject({ granted: 1, retrying: 1 });
    controller.abort();
    await sleeping;
    expect(cut.now().budget).toMatchObject({ granted: 0, retrying: 0 });
    await expect(cut.dep.call(good)).resolves.toBe('fine');
  });
});
