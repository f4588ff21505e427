import { describe, expect, test } from '@jest/globals';
import { asyncLocal } from '../../src/context/async-local.js';
import {
  Call,
  type CallOptions,
  type ContextCarrier,
  createSpillway,
  type DependencyConfig,
  definePolicy,
  type Judgement,
  judge,
  type Operation,
  type SpillwayEvent,
  type SpillwayOptions,
  VirtualClock,
} from '../../src/index.js';
import { after } from '../../src/time/clock.js';
import { bad, errorOf, Held, hang, single } from '../cases/support/single.js';
import { rig } from '../pipeline/harness.js';
import { own, readAs } from './own-operation.js';

const AGAIN: CallOptions = { idempotent: true };
const ONCE: DependencyConfig = { retry: false, breaker: false, attempt: { timeout: '100ms' } };

describe('an attempt that comes too late to start', () => {
  test.each([100, 150])('is not made, as a retry whose timer was late: %i ms', async (ms) => {
    const { clock, dep, of } = single({
      attempt: { min: '50ms' },
      retry: { attempts: 2, backoff: { base: '40ms', jitter: 'none' } },
      bulkhead: false,
      breaker: false,
    });
    const held = new Held();
    const done = dep.settle(held.work, { ...AGAIN, deadline: '100ms' });
    held.fail(0);
    await clock.advance(0);
    // the loop is busy: both its sleep and its deadline are over when it gets on
    clock.tick(ms);
    expect(errorOf(await done)).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'deadline', attempts: 1 });
    expect([held.calls.length, of('attempt.start').length]).toEqual([1, 1]);
  });

  test('is refused, as the first, and nothing was sent', async () => {
    const { clock, spillway, dep, of, now } = single({ ...ONCE, deadline: '100ms' });
    dep.inject({ latency: 1 });
    spillway.subscribe(({ type }) => {
      if (type === 'operation.start') clock.tick(100);
    });
    expect(errorOf(await dep.settle(hang))).toMatchObject({
      code: 'ERR_DEADLINE_EXCEEDED',
      sent: 'no',
      attempts: 0,
    });
    expect(of('operation.end')).toMatchObject([{ outcome: 'refused' }]);
    expect([of('attempt.start'), now().attempts, clock.pending]).toEqual([[], 0, 0]);
  });
});

test('a classify that throws ends the operation with its error, and counts for nothing', async () => {
  const mistake = new Error('no such status');
  const { dep, of, breaker } = single({ breaker: { consecutive: 1 }, fallback: () => 'mended' });
  const classify = () => {
    throw mistake;
  };
  const ends = [bad, () => 'fine'].map((work) => dep.settle(work, { ...AGAIN, classify }));
  for (const end of ends) expect((await end).error).toBe(mistake);
  expect(of('attempt.end')).toMatchObject([
    { kind: 'misuse', result: 'ignored' },
    { kind: 'misuse', result: 'ignored' },
  ]);
  expect(breaker()).toMatchObject({ state: 'closed' });
});

describe('work that comes back after its attempt was given up', () => {
  test('is let go of, where it brought something', async () => {
    const { clock, dep, of } = single(ONCE);
    const discarded: unknown[] = [];
    const held = new Held();
    const operation = own(held.work, { discard: (value) => discarded.push(value) });
    const both = [dep.run(operation), dep.run(operation)];
    await clock.advance(100);
    await Promise.all(both);
    expect(discarded).toStrictEqual([]);
    await clock.advance(20);
    held.succeed(0);
    await clock.advance(5);
    held.fail(1);
    await clock.advance(0);
    expect(discarded).toStrictEqual(['fine']);
    expect(of('attempt.wasted')).toMatchObject([
      { id: 1, attempt: 1, at: 120, lateMs: 20 },
      { id: 2, attempt: 1, at: 125, lateMs: 25 },
    ]);
  });

  test('is counted where nobody can let go of it', async () => {
    const { clock, dep, of } = single(ONCE);
    const held = new Held();
    const done = dep.run(own(held.work));
    await clock.advance(100);
    held.succeed(0);
    await clock.advance(0);
    expect(errorOf(await done).code).toBe('ERR_UPSTREAM');
    expect(of('attempt.wasted')).toHaveLength(1);
  });
});

describe('what the timer of an attempt brings about', () => {
  /** One attempt of 100 ms, under a context; `run`: the calls that the context was told to run. */
  function scene(options: SpillwayOptions = {}) {
    const clock = new VirtualClock();
    const storage = asyncLocal();
    const run: Call[] = [];
    const context: ContextCarrier = {
      ...storage,
      run: (call, work) => {
        run.push(call);
        return storage.run(call, work);
      },
    };
    const seen: (Call | undefined)[] = [];
    const classify = () => {
      seen.push(storage.current());
      return undefined;
    };
    const config = { dependencies: { dep: { ...ONCE, classify } } };
    const spillway = createSpillway<{ dep: unknown }>(config, { clock, context, ...options });
    return { clock, storage, run, seen, dep: spillway.dependency('dep') };
  }

  test.each(['fused', 'layered'] as const)('happens in the context of its own call: %s', async (link) => {
    const { clock, storage, run, seen, dep } = scene(link === 'layered' ? { link } : {});
    const [mine, other] = [1, 2].map(() => new Call(clock, undefined, 1000)) as [Call, Call];
    const done = dep.settle(hang, { parent: mine });
    await storage.run(other, () => clock.advance(100));
    await done;
    expect([seen, run]).toEqual([[mine], [mine]]);
  });

  test('happens where it does for a call without one', async () => {
    const { clock, storage, run, seen, dep } = scene({ link: 'layered' });
    const other = new Call(clock, undefined, 1000);
    const done = dep.settle(hang);
    await storage.run(other, () => clock.advance(100));
    await done;
    expect([seen, run]).toEqual([[other], []]);
  });

  test('needs no context', async () => {
    const { clock, dep } = single(ONCE);
    const done = dep.settle(hang, { parent: new Call(clock, undefined, 1000) });
    await clock.advance(100);
    expect(errorOf(await done).cause).toMatchObject({ code: 'ERR_ATTEMPT_TIMEOUT' });
  });
});

describe('a stale connection', () => {
  const STALE = judge('stale');

  function scene(...judgements: readonly Judgement[]) {
    const { clock, dep, of, events, now } = single({
      breaker: false,
      bulkhead: { concurrent: 1, queue: 0 },
      retry: { attempts: 2, backoff: { base: 0 } },
    });
    const resends: boolean[] = [];
    const work: Operation<unknown>['work'] = (attempt) => {
      const error = new Error(`connection ${resends.push(attempt.resend)}`);
      return new Promise((_resolve, reject) => void after(clock, 10, () => reject(error)));
    };
    const done = dep.run(own(work, { judge: readAs(...judgements) }));
    return { clock, of, events, now, resends, done };
  }

  test('is sent again once, at once and under the same number, and that is told', async () => {
    const { clock, of, now, resends, done } = scene(STALE, judge('answer'));
    await clock.advance(50);
    await done;
    expect(resends).toEqual([false, true]);
    expect(of('attempt.resend')).toEqual([
      { type: 'attempt.resend', dependency: 'dep', operation: 'read', id: 1, at: 10, attempt: 1 },
    ]);
    expect(of('attempt.end')).toMatchObject([{ attempt: 1, at: 20, durationMs: 20, kind: 'answer' }]);
    expect(now()).toMatchObject({ attempts: 1, retries: 0, bulkhead: { inUse: 0, detached: 0 } });
  });

  test('that follows another one is a failed attempt', async () => {
    const { clock, of, resends, done } = scene(STALE, STALE, judge('reset'));
    await clock.runToIdle();
    expect(errorOf(await done)).toMatchObject({ attempts: 2, cause: new Error('connection 3') });
    expect(resends).toEqual([false, true, false]);
    expect(of('attempt.end').map(({ kind }) => kind)).toEqual(['stale', 'reset']);
  });
});

test('an attempt ends once, though its time is up in the midst of its cancellation', async () => {
  const busy = definePolicy<object>('busy', () => (next) => (call) => {
    call.listen({ onCancel: () => clock.tick(100) });
    return next(call);
  });
  const told: SpillwayEvent[] = [];
  const { clock, spillway } = rig({ ...ONCE, policies: [{ policy: busy({}), before: 'attempt' }] });
  spillway.subscribe((event) => told.push(event));
  const controller = new AbortController();
  const done = spillway.dependency('dep').settle(hang, { signal: controller.signal });
  await clock.advance(50);
  controller.abort('gone');
  expect((await done).error).toBe('gone');
  expect(told.filter(({ type }) => type === 'attempt.end')).toMatchObject([{ kind: 'timeout', at: 100 }]);
});
