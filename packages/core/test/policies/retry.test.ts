import { describe, expect, test } from '@jest/globals';
import { Call, type CallOptions, type DependencyConfig, failure, VirtualClock } from '../../src/index.js';
import type { OperationCall } from '../../src/pipeline/operation-call.js';
import { retryLayer } from '../../src/policies/retry.js';
import { bad, errorOf, Held, hang, single } from '../cases/support/single.js';

const PLAIN = { base: '100ms', factor: 1, jitter: 'none' } as const;
const AGAIN: CallOptions = { idempotent: true };

/** Two attempts, 100 ms apart. */
function twice(policy: DependencyConfig = {}) {
  return single({ breaker: false, bulkhead: false, retry: { attempts: 2, backoff: PLAIN }, ...policy });
}

describe('an operation that was cancelled says so', () => {
  test.each<[string, boolean, number]>([
    ['in its first attempt', false, 50],
    ['between two attempts', true, 50],
    ['in its last attempt', true, 150],
  ])('%s', async (_, failed, ms) => {
    const { clock, dep, of, now } = twice();
    const controller = new AbortController();
    const held = new Held();
    const done = dep.settle(held.work, { ...AGAIN, signal: controller.signal });
    if (failed) held.fail(0);
    await clock.advance(ms);
    controller.abort('gone');
    expect((await done).error).toBe('gone');
    expect(of('operation.end')).toMatchObject([{ outcome: 'cancelled', stopped: 'cancelled' }]);
    expect(of('retry.stopped')).toEqual([]);
    expect([held.calls.length, clock.pending]).toEqual([ms > 100 ? 2 : 1, 0]);
    expect(now().operations).toMatchObject({ cancelled: 1, failed: 0 });
  });
});

describe('a mistake in the program', () => {
  const bug = new TypeError('x is not a function');
  const mistaken = () => {
    throw bug;
  };

  test('ends its operation at once, and nothing stopped it', async () => {
    const { dep, of, clock } = twice();
    expect((await dep.settle(mistaken, AGAIN)).error).toBe(bug);
    expect(of('operation.end')).toMatchObject([{ outcome: 'failed', stopped: undefined, attempts: 1 }]);
    expect([of('retry.scheduled'), of('retry.stopped'), clock.pending]).toEqual([[], [], 0]);
  });

  test('that classify calls a failure of the dependency is one', async () => {
    const { dep, of, clock } = twice({ fallback: () => 'mended' });
    const options: CallOptions = { ...AGAIN, classify: () => 'failure' };
    const done = dep.settle(mistaken, { ...options, fallback: false });
    await clock.runToIdle();
    expect(errorOf(await done)).toMatchObject({
      code: 'ERR_UPSTREAM',
      message: 'dep failed: its call threw',
      cause: bug,
      attempts: 2,
      stopped: 'attempts',
    });
    expect(of('attempt.end').map(({ result }) => result)).toEqual(['failure', 'failure']);
    const mended = dep.settle(mistaken, options);
    await clock.runToIdle();
    expect((await mended).value).toBe('mended');
  });
});

describe('that there will be no further attempt is told', () => {
  test('with the attempt it was after, and why', async () => {
    const { clock, dep, of } = twice();
    await clock.advance(5);
    const done = dep.settle(bad, { ...AGAIN, operation: 'read' });
    await clock.runToIdle();
    expect(errorOf(await done)).toMatchObject({ stopped: 'attempts', attempts: 2 });
    expect(of('retry.stopped')).toEqual([
      {
        type: 'retry.stopped',
        dependency: 'dep',
        operation: 'read',
        id: 1,
        at: 105,
        attempt: 2,
        stopped: 'attempts',
      },
    ]);
  });

  test('of no failure that is never repeated', async () => {
    const { dep, of } = twice();
    const failed = dep.settle(() => new Response(null, { status: 501 }), AGAIN);
    expect(errorOf(await failed)).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'not-retryable' });
    expect(of('operation.end')).toMatchObject([{ stopped: 'not-retryable' }]);
    expect(of('retry.stopped')).toEqual([]);
  });
});

describe('an attempt that the time of its operation cuts short', () => {
  const CUT: DependencyConfig = {
    attempt: { timeout: '600ms' },
    retry: { attempts: 3, backoff: { base: 0 } },
  };

  test.each<[string, '200ms' | '500ms', string]>([
    ['early', '200ms', 'cut-early'],
    ['late', '500ms', 'cut-late'],
  ])('%s, as the first, ends it with that', async (_, deadline, kind) => {
    const { clock, dep, of } = twice(CUT);
    const done = dep.settle(hang, { ...AGAIN, deadline });
    await clock.runToIdle();
    expect(errorOf(await done)).toMatchObject({ code: 'ERR_DEADLINE_EXCEEDED', sent: 'maybe', attempts: 1 });
    expect(of('attempt.end')).toMatchObject([{ kind }]);
    expect(of('operation.end')).toMatchObject([{ stopped: 'not-retryable' }]);
  });

  test.each<[string, number, string]>([
    ['early', 750, 'cut-early'],
    ['late', 500, 'cut-late'],
  ])('%s, as a later one, ends it with the failure before', async (_, ms, kind) => {
    const { clock, dep, of } = twice({
      ...CUT,
      attempt: { timeout: '760ms' },
      breaker: { slow: { over: '300ms' } },
    });
    const held = new Held();
    const done = dep.settle(held.work, { ...AGAIN, deadline: '1s' });
    await clock.advance(ms);
    held.fail(0);
    await clock.advance(1000 - ms);
    expect(errorOf(await done)).toMatchObject({
      code: 'ERR_UPSTREAM',
      cause: new Error('down'),
      stopped: 'deadline',
      attempts: 2,
    });
    expect(of('attempt.end').map((event) => event.kind)).toEqual(['thrown', kind]);
    expect(of('retry.stopped')).toMatchObject([{ attempt: 2, stopped: 'deadline' }]);
  });
});

describe('a retry that we refuse ourselves ends its operation with the failure before', () => {
  const WAITS: DependencyConfig = { bulkhead: { concurrent: 1, queue: 1, wait: '5s' } };

  test.each<[string, DependencyConfig, CallOptions, number, object]>([
    ['by its breaker', { breaker: {} }, {}, 100, { stopped: 'breaker', status: 503 }],
    [
      'by a full bulkhead',
      { bulkhead: { concurrent: 1, queue: 0 } },
      {},
      100,
      { stopped: 'bulkhead', status: 502 },
    ],
    ['by a bulkhead that is full for long', WAITS, {}, 5100, { stopped: 'bulkhead', status: 502 }],
    ['by its deadline, while it waits for a unit', WAITS, { deadline: '1s' }, 1000, { stopped: 'deadline' }],
  ])('%s', async (_, policy, options, endsAt, wanted) => {
    const { clock, dep, of, now } = twice({ attempt: { timeout: false }, deadline: '60s', ...policy });
    let endedAt = -1;
    const done = dep.settle(bad, { ...AGAIN, ...options }).finally(() => {
      endedAt = clock.now();
    });
    await clock.advance(50);
    if (policy.breaker === false || policy.breaker === undefined) void dep.settle(hang);
    else dep.breaker.forceOpen();
    await clock.advance(10_000);
    expect(errorOf(await done)).toMatchObject({ code: 'ERR_UPSTREAM', attempts: 1, ...wanted });
    expect(endedAt).toBe(endsAt);
    expect(of('retry.stopped')).toMatchObject([{ attempt: 2, at: endsAt }]);
    expect(now().budget).toMatchObject({ granted: 0, retrying: 0 });
  });
});

test('a step inside of the loop that breaks its word and rejects ends the operation all the same', async () => {
  const mistake = new Error('out of order');
  const op = new Call(new VirtualClock(), undefined, 1000) as OperationCall;
  expect(await retryLayer(() => Promise.reject(mistake))(op)).toEqual(failure(mistake));
  expect(op.verdict.kind).toBe('misuse');
});
