import { describe, expect, test } from '@jest/globals';
import { defineGate, definePolicy, spillwayError, success } from '../../src/index.js';
import { rig } from './harness.js';

const down = async (): Promise<never> => {
  throw new Error('down');
};

describe('drain', () => {
  test('ends sleeping retries with the failure they had, and waits for what runs', async () => {
    const { spillway, clock } = rig({
      retry: { attempts: 3, backoff: { base: '1s', jitter: 'none' } },
      deadline: '60s',
    });
    const dep = spillway.dependency('dep');
    const sleeping = dep.settle(down, { idempotent: true });
    let end: (value: string) => void = () => undefined;
    const running = dep.settle(
      () =>
        new Promise<string>((resolve) => {
          end = resolve;
        }),
    );
    await clock.advance(100);
    const drained = spillway.drain({ within: '5s' });
    expect((await sleeping).error).toMatchObject({ code: 'ERR_UPSTREAM', stopped: 'closed' });
    await clock.advance(50);
    end('fine');
    await clock.advance(50);
    expect(await drained).toBe(true);
    expect(await running).toMatchObject({ ok: true });
    expect(spillway.snapshot().dependencies[0]?.budget).toMatchObject({ granted: 0, retrying: 0 });
  });

  test('gives up after its time', async () => {
    const { spillway, clock } = rig({ attempt: { timeout: false }, deadline: false });
    void spillway.dependency('dep').settle(() => new Promise(() => undefined));
    const drained = spillway.drain({ within: '1s' });
    await clock.advance(1100);
    expect(await drained).toBe(false);
  });
});

describe('close', () => {
  test('refuses calls afterwards and runs what was left for it, once', async () => {
    const { spillway } = rig({});
    let ended = 0;
    spillway.onClose(() => {
      ended++;
    });
    spillway.close();
    spillway.close();
    expect(ended).toBe(1);
    expect((await spillway.dependency('dep').settle(async () => 1)).error).toMatchObject({
      code: 'ERR_CLOSED',
    });
    await expect(spillway.dependency('dep').call(async () => 1)).rejects.toMatchObject({
      code: 'ERR_CLOSED',
    });
  });
});

describe('reset', () => {
  test('forgets what was learnt', async () => {
    const { spillway } = rig({ retry: { attempts: 1 }, breaker: { consecutive: 1 } });
    await spillway.dependency('dep').settle(down);
    expect(spillway.dependency('dep').breaker.state).toBe('open');
    spillway.reset();
    expect(spillway.dependency('dep').breaker.state).toBe('closed');
    expect(spillway.snapshot().dependencies[0]).toMatchObject({ attempts: 0, operations: { failed: 0 } });
  });
});

describe('an unknown dependency', () => {
  test('is refused by name, with the names there are', () => {
    const { spillway } = rig({});
    expect(() => spillway.dependency('nope' as 'dep')).toThrow(
      "No dependency is named 'nope'; configured: dep",
    );
  });
});

describe('custom policies', () => {
  test('stand just outside their slot and see what passes it', async () => {
    const seen: string[] = [];
    const trace = definePolicy<{ name: string }>('trace', ({ name }) => (next) => async (call) => {
      seen.push(`${name} in`);
      const outcome = await next(call);
      seen.push(`${name} out`);
      return outcome;
    });
    const { spillway, clock } = rig({
      retry: { attempts: 2, backoff: { base: 1, jitter: 'none' } },
      policies: [
        { policy: trace({ name: 'whole' }), before: 'retry' },
        { policy: trace({ name: 'each' }), before: 'attempt' },
      ],
    });
    const done = spillway.dependency('dep').settle(down, { idempotent: true });
    await clock.runToIdle();
    expect((await done).error).toMatchObject({ code: 'ERR_UPSTREAM', attempts: 2 });
    expect(seen).toEqual(['whole in', 'each in', 'each out', 'each in', 'each out', 'whole out']);
    expect(
      spillway
        .dependency('dep')
        .describe()
        .layers.map(({ kind }) => kind),
    ).toEqual(['fallback', 'deadline', 'trace', 'retry', 'bulkhead', 'breaker', 'trace', 'attempt']);
  });

  test('as gates admit or refuse, and settle exactly once', async () => {
    let inside = 0;
    let settled = 0;
    const gate = defineGate<{ limit: number }>('gate', ({ limit }) => ({
      enter() {
        if (inside >= limit) return spillwayError('ERR_BULKHEAD_FULL', 'no room');
        inside++;
        return () => {
          inside--;
          settled++;
        };
      },
    }));
    const { spillway, clock } = rig({
      retry: { attempts: 1 },
      policies: [{ policy: gate({ limit: 1 }), before: 'attempt' }],
    });
    const dep = spillway.dependency('dep');
    const both = [dep.settle(async () => 1), dep.settle(async () => 2)];
    await clock.advance(0);
    expect((await both[0])?.ok).toBe(true);
    expect((await both[1])?.error).toMatchObject({ code: 'ERR_BULKHEAD_FULL' });
    expect([inside, settled]).toEqual([0, 1]);
    expect(spillway.snapshot().dependencies[0]?.operations).toMatchObject({ success: 1, refused: 1 });
  });

  test('that hang are cut by the deadline, and by cancellation at once', async () => {
    const stuck = definePolicy<object>('stuck', () => () => () => new Promise(() => undefined));
    const { spillway, clock } = rig({
      deadline: '1s',
      policies: [{ policy: stuck({}), before: 'bulkhead' }],
    });
    const dep = spillway.dependency('dep');
    const late = dep.settle(async () => 1);
    const controller = new AbortController();
    const gone = dep.settle(async () => 1, { signal: controller.signal });
    await clock.advance(10);
    controller.abort(new Error('gone'));
    expect((await gone).error).toMatchObject({ message: 'gone' });
    await clock.advance(1000);
    expect((await late).error).toMatchObject({ code: 'ERR_DEADLINE_EXCEEDED' });
    expect(clock.pending).toBe(0);
  });

  test('may answer in place of the work', async () => {
    const cache = definePolicy<object, string>('cache', () => () => async () => success('cached'));
    const { spillway } = rig({ policies: [{ policy: cache({}), before: 'retry' }] });
    expect(await spillway.dependency('dep').settle(down)).toMatchObject({ ok: true, value: 'cached' });
  });
});
