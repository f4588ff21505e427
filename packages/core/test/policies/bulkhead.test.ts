import { describe, expect, test } from '@jest/globals';
import {
  type BulkheadConfig,
  type DependencyConfig,
  type Duration,
  type EventType,
  judge,
  type Operation,
  type Outcome,
} from '../../src/index.js';
import { bad, codesOf, good, Held, hang, single } from '../cases/support/single.js';

/** A bulkhead of one unit, alone or with what `policy` adds. */
function oneUnit(options: BulkheadConfig = {}, policy: DependencyConfig = {}) {
  const bulkhead = { concurrent: 1, queue: 5, wait: '500ms', ...options } as const;
  return single({ retry: false, breaker: false, deadline: '10s', ...policy, bulkhead });
}

/** Keeps an outcome, and when it came. */
function watch(clock: { now(): number }, settling: Promise<Outcome<unknown>>) {
  const seen: { outcome?: Outcome<unknown>; at?: number } = {};
  void settling.then((outcome) => Object.assign(seen, { outcome, at: clock.now() }));
  return seen;
}

const told = (type: EventType, at: number, id: number, more: object) => ({
  type,
  dependency: 'dep',
  operation: 'call',
  id,
  at,
  ...more,
});

describe('a call that finds no unit', () => {
  test.each<[string, BulkheadConfig]>([
    ['no place in the queue', { queue: 0 }],
    ['no time to stand there', { wait: 0 }],
  ])('and %s is refused at once, with who refused it and when to come back', async (_, options) => {
    const bulkhead = { concurrent: 1, ...options };
    const { clock, dep, of } = single({ retry: false, breaker: false, bulkhead });
    void dep.settle(hang);
    await clock.advance(1000);
    const seen = watch(clock, dep.settle(good));
    await clock.advance(0);
    expect(seen.outcome?.error).toMatchObject({
      code: 'ERR_BULKHEAD_FULL',
      message: 'All units of dep are taken',
      dependency: 'dep',
      operation: 'call',
      retryAfterMs: 1000,
      sent: 'no',
    });
    expect(of('bulkhead.refused')).toEqual([
      told('bulkhead.refused', 1000, 2, { reason: 'full', observed: false }),
    ]);
    expect(of('bulkhead.queued')).toEqual([]);
  });

  test('is let in where the bulkhead only observes, and told as one it would have refused', async () => {
    const { clock, dep, of, now } = oneUnit({ mode: 'observe' });
    void dep.settle(hang);
    await clock.advance(1000);
    const seen = watch(clock, dep.settle(good));
    await clock.advance(0);
    expect(seen.outcome).toMatchObject({ ok: true });
    expect(of('bulkhead.refused')).toEqual([
      told('bulkhead.refused', 1000, 2, { reason: 'full', observed: true }),
    ]);
    expect(now().bulkhead).toMatchObject({ inUse: 1, queued: 0 });
  });
});

describe('a call in the queue', () => {
  test('is told as it comes and as it goes, with how long it stood there', async () => {
    const { clock, dep, of } = oneUnit();
    const held = new Held();
    void dep.settle(held.work);
    await clock.advance(1000);
    const both = [dep.settle(good), dep.settle(good)];
    await clock.advance(200);
    held.succeed(0);
    await clock.advance(0);
    expect(codesOf(await Promise.all(both))).toEqual(['ok', 'ok']);
    expect(of('bulkhead.queued')).toEqual([
      told('bulkhead.queued', 1000, 2, { queued: 1 }),
      told('bulkhead.queued', 1000, 3, { queued: 2 }),
    ]);
    expect(of('bulkhead.dequeued')).toEqual([
      told('bulkhead.dequeued', 1200, 2, { waitedMs: 200 }),
      told('bulkhead.dequeued', 1200, 3, { waitedMs: 200 }),
    ]);
  });

  test.each<[string, Duration, number, string, string]>([
    ['its wait', '501ms', 1500, 'waited', 'ERR_BULKHEAD_FULL'],
    ['its deadline', '499ms', 1499, 'deadline', 'ERR_DEADLINE_EXCEEDED'],
    ['both at once, which is its deadline', '500ms', 1500, 'deadline', 'ERR_DEADLINE_EXCEEDED'],
  ])('leaves it by %s', async (_, deadline, at, reason, code) => {
    const { clock, dep, of, now } = oneUnit();
    void dep.settle(hang, { deadline: '1m' });
    await clock.advance(1000);
    const seen = watch(clock, dep.settle(good, { deadline }));
    await clock.advance(1000);
    expect(seen).toMatchObject({ at, outcome: { error: { code, sent: 'no' } } });
    expect(of('bulkhead.refused')).toEqual([told('bulkhead.refused', at, 2, { reason, observed: false })]);
    expect(now().bulkhead).toMatchObject({ inUse: 1, queued: 0 });
  });

  const forms: [string, DependencyConfig][] = [
    ['without a breaker', {}],
    ['with one that observes both', { breaker: { observes: 'both' } }],
  ];
  test.each(forms)('stands behind every retry, and before those who came later: %s', async (_, policy) => {
    const { clock, dep } = oneUnit(
      { wait: '5s' },
      { ...policy, retry: { attempts: 2, budget: false, backoff: { base: 100, jitter: 'none' } } },
    );
    const order: string[] = [];
    const named = (name: string) => async () => void order.push(name);
    let tries = 0;
    const flaky = async () => {
      order.push(`flaky ${++tries}`);
      if (tries === 1) await bad();
    };
    const retried = dep.settle(flaky, { idempotent: true });
    await clock.advance(0);
    const held = new Held();
    const others = [dep.settle(held.work), dep.settle(named('first')), dep.settle(named('second'))];
    await clock.advance(100);
    held.succeed(0);
    await clock.advance(0);
    expect(codesOf(await Promise.all([retried, ...others]))).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(order).toEqual(['flaky 1', 'flaky 2', 'first', 'second']);
  });
});

describe('a retry', () => {
  test('does not wait for the unit that its own attempt before still holds', async () => {
    const { clock, dep, of, now } = oneUnit(
      { wait: '5s' },
      {
        attempt: { timeout: '100ms' },
        retry: { attempts: 2, budget: false, backoff: { base: 50, jitter: 'none' } },
      },
    );
    const seen = watch(clock, dep.settle(hang, { idempotent: true }));
    await clock.advance(200);
    expect(seen).toMatchObject({
      at: 150,
      outcome: { error: { code: 'ERR_UPSTREAM', stopped: 'bulkhead' } },
    });
    expect(of('bulkhead.queued')).toEqual([]);
    expect(of('bulkhead.refused')).toEqual([
      told('bulkhead.refused', 150, 1, { reason: 'full', observed: false }),
    ]);
    expect(now().bulkhead).toMatchObject({ inUse: 1, queued: 0, detached: 1 });
  });
});

describe('a stream', () => {
  /** Answers at once; its body goes on until `body` settles. */
  function streaming(body: Promise<unknown>): Operation<string> {
    return {
      operation: 'download',
      method: 'GET',
      path: '/file',
      origin: undefined,
      idempotent: true,
      keyed: false,
      options: {},
      work: (attempt) => {
        attempt.hold(body);
        return 'headers';
      },
      judge: () => judge('answer', { status: 200 }),
    };
  }

  test('holds its unit to the end of its body, and is no runaway', async () => {
    const { clock, dep, of, now } = oneUnit({ detachAfter: '1s' });
    const held = new Held();
    expect(await dep.run(streaming(held.work()))).toMatchObject({ ok: true, value: 'headers' });
    await clock.advance(60_000);
    expect(now().bulkhead).toMatchObject({ inUse: 1, detached: 0 });
    expect(of('bulkhead.detached')).toEqual([]);
    held.succeed(0);
    await clock.advance(0);
    expect(now().bulkhead).toMatchObject({ inUse: 0, detached: 0 });
  });
});
