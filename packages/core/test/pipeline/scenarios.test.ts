import { describe, expect, test } from '@jest/globals';
import { isSpillwayError, type SpillwayError } from '../../src/index.js';
import { rig } from './harness.js';

const plain = { base: '100ms', factor: 2, cap: '10s', jitter: 'none' } as const;

async function fails(promise: Promise<unknown>): Promise<SpillwayError> {
  const error = await promise.then(
    (value) => new Error(`resolved with ${String(value)}`),
    (reason: unknown) => reason,
  );
  if (!isSpillwayError(error)) throw error;
  return error;
}

/** Fails `times` times, then answers. */
function flaky(times: number) {
  const calls: number[] = [];
  return {
    calls,
    work: async () => {
      calls.push(calls.length + 1);
      if (calls.length <= times) throw new Error(`failure ${calls.length}`);
      return 'fine';
    },
  };
}

describe('an operation on a dependency', () => {
  test('answers with what its work returns', async () => {
    const { spillway, events } = rig({});
    await expect(spillway.dependency('dep').call(async () => 42)).resolves.toBe(42);
    expect(events.map(({ type }) => type)).toEqual([
      'operation.start',
      'attempt.start',
      'attempt.end',
      'operation.end',
    ]);
  });

  test('is tried again after a failure, no earlier than its backoff', async () => {
    const { spillway, clock } = rig({ retry: { attempts: 3, backoff: plain } });
    const at: number[] = [];
    const done = fails(
      spillway.dependency('dep').call(
        async () => {
          at.push(clock.now());
          throw new Error('down');
        },
        { idempotent: true },
      ),
    );
    await clock.runToIdle();
    const error = await done;
    expect(at).toEqual([0, 100, 300]);
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'attempts', attempts: 3, status: 502 });
    expect((error.cause as Error).message).toBe('down');
    expect(clock.now()).toBe(300);
  });

  test('is not repeated unless it was declared idempotent', async () => {
    const { spillway, clock } = rig({ retry: { backoff: plain } });
    const { work, calls } = flaky(1);
    const error = await fails(spillway.dependency('dep').call(work));
    expect(calls).toHaveLength(1);
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'not-idempotent', sent: 'maybe' });
    expect(clock.pending).toBe(0);
  });

  test('passes programmer errors untouched, once, and without a word to the breaker', async () => {
    const { spillway } = rig({ breaker: { consecutive: 1 } });
    const bug = new TypeError('x is not a function');
    const thrown = await spillway
      .dependency('dep')
      .call(
        () => {
          throw bug;
        },
        { idempotent: true },
      )
      .catch((error: unknown) => error);
    expect(thrown).toBe(bug);
    expect(spillway.dependency('dep').breaker.state).toBe('closed');
  });

  test('is refused without an attempt while the breaker is open, then probed', async () => {
    const { spillway, clock } = rig({
      retry: { attempts: 1 },
      breaker: { consecutive: 3, openFor: '5s', jitter: 0, probes: 1 },
    });
    const dep = spillway.dependency('dep');
    const { work, calls } = flaky(3);
    for (let i = 0; i < 3; i++) await fails(dep.call(work));
    const refused = await fails(dep.call(work));
    expect(calls).toHaveLength(3);
    expect(refused).toMatchObject({
      code: 'ERR_BREAKER_OPEN',
      status: 503,
      headers: { 'Retry-After': '5' },
      retryAfterMs: 5000,
    });
    await clock.advance(5000);
    await expect(dep.call(work)).resolves.toBe('fine');
    expect(dep.breaker.state).toBe('closed');
  });

  test('ends at once when the breaker opens between two attempts, and gives its grant back', async () => {
    const { spillway, clock } = rig({
      retry: { attempts: 4, backoff: plain },
      breaker: { consecutive: 1, openFor: '10s', jitter: 0 },
    });
    const { work, calls } = flaky(9);
    const error = await fails(spillway.dependency('dep').call(work, { idempotent: true }));
    expect(calls).toHaveLength(1);
    expect(error).toMatchObject({
      code: 'ERR_UPSTREAM',
      stopped: 'breaker',
      status: 503,
      headers: { 'Retry-After': '10' },
    });
    expect(clock.now()).toBe(0);
    expect(clock.pending).toBe(0);
    expect(spillway.snapshot().dependencies[0]?.budget?.granted).toBe(0);
  });

  test('spends 400 ms on two attempts of 180 ms and starts no third', async () => {
    const { spillway, clock } = rig({
      deadline: '400ms',
      attempt: { timeout: '180ms', min: '50ms' },
      retry: { attempts: 5, backoff: { ...plain, base: 0 } },
    });
    let calls = 0;
    const done = fails(
      spillway.dependency('dep').call(
        () => {
          calls++;
          return new Promise(() => undefined);
        },
        { idempotent: true },
      ),
    );
    await clock.advance(360);
    const error = await done;
    expect(calls).toBe(2);
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'deadline', status: 504 });
    expect(error.cause).toMatchObject({ code: 'ERR_ATTEMPT_TIMEOUT' });
  });

  test('cuts the last attempt at the deadline and answers with the earlier failure', async () => {
    const { spillway, clock } = rig({
      deadline: '2.5s',
      attempt: { timeout: '1s' },
      retry: { attempts: 3, backoff: { ...plain, base: '200ms', factor: 1 } },
    });
    const at: number[] = [];
    let settledAt = -1;
    const done = fails(
      spillway.dependency('dep').call(
        () => {
          at.push(clock.now());
          return new Promise(() => undefined);
        },
        { idempotent: true },
      ),
    ).finally(() => {
      settledAt = clock.now();
    });
    await clock.advance(3000);
    const error = await done;
    expect(at).toEqual([0, 1200, 2400]);
    expect(settledAt).toBe(2500);
    expect(error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'deadline' });
  });

  test('rejects with the reason of its signal, in the same turn, inside a sleep', async () => {
    const { spillway, clock } = rig({
      retry: { attempts: 3, backoff: { ...plain, base: '10s' } },
      deadline: '60s',
    });
    const controller = new AbortController();
    const { work, calls } = flaky(9);
    const done = spillway.dependency('dep').call(work, { idempotent: true, signal: controller.signal });
    const seen = done.catch((error: unknown) => error);
    await clock.advance(3000);
    const reason = new Error('enough');
    controller.abort(reason);
    expect(await seen).toBe(reason);
    expect(calls).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('gives its unit back when detached work ends, and not before', async () => {
    const { spillway, clock } = rig({
      attempt: { timeout: '100ms' },
      retry: { attempts: 1 },
      bulkhead: { concurrent: 2, queue: 0, detachAfter: '30s' },
    });
    const dep = spillway.dependency('dep');
    const hung = [0, 1].map(() => fails(dep.call(() => new Promise(() => undefined))));
    await clock.advance(100);
    for (const error of await Promise.all(hung))
      expect(error.cause).toMatchObject({ code: 'ERR_ATTEMPT_TIMEOUT' });
    expect(spillway.snapshot().dependencies[0]?.bulkhead).toMatchObject({ inUse: 2, detached: 2 });
    expect(await fails(dep.call(async () => 1))).toMatchObject({
      code: 'ERR_BULKHEAD_FULL',
      headers: { 'Retry-After': '1' },
    });
    await clock.advance(30_000);
    expect(spillway.snapshot().dependencies[0]?.bulkhead).toMatchObject({ inUse: 0, detached: 0 });
    await expect(dep.call(async () => 1)).resolves.toBe(1);
  });

  test('is answered by its fallback, which gets the failure with its cause', async () => {
    const { spillway } = rig({
      retry: { attempts: 1 },
      fallback: (failure) => ({ stale: true, why: failure.code }),
    });
    const boom = new Error('boom');
    const result = await spillway.dependency('dep').call(
      () => {
        throw boom;
      },
      { idempotent: true },
    );
    expect(result).toEqual({ stale: true, why: 'ERR_UPSTREAM' });
    expect(spillway.snapshot().dependencies[0]?.operations).toMatchObject({ degraded: 1 });
  });
});
