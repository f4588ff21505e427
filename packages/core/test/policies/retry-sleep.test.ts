import { describe, expect, test } from '@jest/globals';
import { type DependencyConfig, definePolicy, judge, type Outcome } from '../../src/index.js';
import { bad, errorOf, Held, hang, single } from '../cases/support/single.js';
import { rig } from '../pipeline/harness.js';
import { own, readAs } from './own-operation.js';

const PLAIN = { base: '100ms', factor: 1, jitter: 'none' } as const;
const AGAIN = { idempotent: true } as const;

function twice(policy: DependencyConfig = {}) {
  return single({ breaker: false, bulkhead: false, retry: { attempts: 2, backoff: PLAIN }, ...policy });
}

describe('before an operation sleeps', () => {
  test('it tells when its next attempt will be, after what, and what time is left', async () => {
    const { clock, dep, of } = twice({ deadline: '2s' });
    await clock.advance(5);
    const held = new Held();
    void dep.settle(held.work, { ...AGAIN, operation: 'read' });
    await clock.advance(300);
    held.fail(0);
    await clock.advance(0);
    expect(of('retry.scheduled')).toEqual([
      {
        type: 'retry.scheduled',
        dependency: 'dep',
        operation: 'read',
        id: 1,
        at: 305,
        attempt: 2,
        delayMs: 100,
        reason: 'thrown',
        remainingMs: 1700,
      },
    ]);
  });

  test('it lets go of the answer that it will not hand on, once, and of no error', async () => {
    const { clock, dep } = twice({ retry: { attempts: 3, backoff: PLAIN } });
    const discarded: unknown[] = [];
    const answers = [() => 'first page', bad, () => 'last page'];
    const unready = judge('server-error', { status: 503 });
    const operation = own(() => answers.shift()?.(), {
      judge: readAs(unready, judge('reset'), judge('answer', { status: 200 })),
      discard: (value) => discarded.push(value),
    });
    const done = dep.run(operation);
    await clock.advance(0);
    expect(discarded).toStrictEqual(['first page']);
    await clock.runToIdle();
    expect((await done).value).toBe('last page');
    expect(discarded).toStrictEqual(['first page']);
  });

  test('it needs no way to let go of an answer', async () => {
    const { clock, dep } = twice();
    let page = 0;
    const done = dep.run(
      own(() => ++page, { judge: readAs(judge('server-error', { status: 503 }), judge('answer')) }),
    );
    await clock.runToIdle();
    expect(await done).toMatchObject({ ok: true, value: 2 });
  });

  test('it ends if it is cancelled just then, and never sleeps', async () => {
    const { clock, dep, spillway, of, now } = twice();
    const controller = new AbortController();
    spillway.subscribe(({ type }) => {
      if (type === 'retry.scheduled') controller.abort('gone');
    });
    let outcome: Outcome<unknown> | undefined;
    void dep.settle(bad, { ...AGAIN, signal: controller.signal }).then((settled) => {
      outcome = settled;
    });
    await clock.advance(0);
    expect(outcome?.error).toBe('gone');
    expect(of('operation.end')).toMatchObject([{ outcome: 'cancelled', stopped: 'cancelled', attempts: 1 }]);
    expect([clock.pending, now().budget]).toEqual([0, expect.objectContaining({ granted: 0, retrying: 0 })]);
  });

  test('it counts the time that a policy around its attempt has taken since that ended', async () => {
    const linger = definePolicy<object>('linger', () => (next) => async (call) => {
      const outcome = await next(call);
      await clock.advance(360);
      return outcome;
    });
    const { spillway, clock, events } = rig({
      deadline: '500ms',
      attempt: { timeout: '400ms', min: '50ms' },
      retry: { attempts: 2, backoff: PLAIN, budget: false },
      policies: [{ policy: linger({}), before: 'attempt' }],
    });
    const outcome = await spillway.dependency('dep').settle(bad, AGAIN);
    expect(errorOf(outcome)).toMatchObject({ stopped: 'deadline', attempts: 1 });
    expect(events.map(({ type, at }) => [type, at])).toEqual([
      ['operation.start', 0],
      ['attempt.start', 0],
      ['attempt.end', 0],
      ['retry.stopped', 360],
      ['operation.end', 360],
    ]);
  });
});

describe('a sleep', () => {
  test('that a drain ends is followed by no attempt', async () => {
    const { clock, dep, spillway, of, now } = twice();
    const held = new Held();
    const done = dep.settle(held.work, AGAIN);
    held.fail(0);
    await clock.advance(50);
    void spillway.drain({ within: '1s' });
    expect(errorOf(await done)).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'closed', attempts: 1 });
    expect(of('retry.stopped')).toMatchObject([{ at: 50, attempt: 1, stopped: 'closed' }]);
    expect([held.calls.length, now().budget]).toEqual([
      1,
      expect.objectContaining({ granted: 0, retrying: 0 }),
    ]);
  });

  test('that a cancellation ends is followed by no attempt, which a policy would see', async () => {
    let seen = 0;
    const count = definePolicy<object>('count', () => (next) => (call) => {
      seen++;
      return next(call);
    });
    const { spillway, clock } = rig({
      breaker: false,
      bulkhead: false,
      retry: { attempts: 2, backoff: PLAIN },
      policies: [{ policy: count({}), before: 'attempt' }],
    });
    const controller = new AbortController();
    const done = spillway.dependency('dep').settle(bad, { ...AGAIN, signal: controller.signal });
    await clock.advance(50);
    controller.abort('gone');
    expect((await done).error).toBe('gone');
    expect(seen).toBe(1);
  });
});

describe('what a retry costs the budget', () => {
  const BUDGET = { ratio: 0, window: '10s', minPerSecond: 0.1 } as const;

  test('is charged once it is made, and runs until its attempt is over', async () => {
    const { clock, dep, now } = twice();
    const held = new Held();
    const done = dep.settle(held.work, AGAIN);
    held.fail(0);
    await clock.advance(150);
    expect(now().budget).toMatchObject({ granted: 1, retrying: 1 });
    held.fail(1);
    await done;
    expect(now().budget).toMatchObject({ granted: 1, retrying: 0 });
  });

  test('comes back when it is cancelled while it waits for its unit', async () => {
    const { clock, dep, now } = twice({ bulkhead: { concurrent: 1, queue: 1, wait: '5s' } });
    const controller = new AbortController();
    const done = dep.settle(bad, { ...AGAIN, signal: controller.signal });
    await clock.advance(50);
    void dep.settle(hang);
    await clock.advance(100);
    expect(now().bulkhead).toMatchObject({ inUse: 1, queued: 1 });
    controller.abort('gone');
    expect((await done).error).toBe('gone');
    expect(now().budget).toMatchObject({ granted: 0, retrying: 0 });
  });

  test.each([
    ['enforce', { observed: false }, 1],
    ['observe', { observed: true }, 2],
  ] as const)('is refused by one that is spent, and that is told: mode %s', async (mode, told, attempts) => {
    const { clock, dep, of, now } = twice({
      retry: { attempts: 2, backoff: PLAIN, budget: { ...BUDGET, mode } },
    });
    void dep.settle(bad, AGAIN);
    await clock.advance(500);
    const done = dep.settle(bad, { ...AGAIN, operation: 'read' });
    await clock.advance(500);
    expect(errorOf(await done)).toMatchObject({ attempts, stopped: attempts === 1 ? 'budget' : 'attempts' });
    expect(of('budget.refused')).toEqual([
      { type: 'budget.refused', dependency: 'dep', operation: 'read', id: 2, at: 500, attempt: 1, ...told },
    ]);
    expect([now().retries, now().budget]).toEqual([
      attempts,
      expect.objectContaining({ granted: 1, retrying: 0 }),
    ]);
  });
});
