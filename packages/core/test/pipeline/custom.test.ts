import { describe, expect, test } from '@jest/globals';
import { definePolicy, failure } from '../../src/index.js';
import { errorOf, hang, single } from '../cases/support/single.js';

/** Lets everything pass as it is. */
const transparent = definePolicy<object>('transparent', () => (next) => next);

/** Puts an error of its own in the place of every failure. */
const renaming = definePolicy<object>('renaming', () => (next) => async (call) => {
  const outcome = await next(call);
  return outcome.ok ? outcome : failure(new Error('renamed'));
});

const POLICY = {
  attempt: { timeout: '100ms' },
  retry: { attempts: 3, backoff: { base: '10ms', jitter: 'none' } },
} as const;

describe('an attempt whose time is up, inside of a policy of the application', () => {
  test.each(['attempt', 'breaker', 'bulkhead'] as const)(
    'before %s is retried and charged as without it',
    async (before) => {
      const { clock, dep, now } = single({ ...POLICY, policies: [{ policy: transparent({}), before }] });
      const waiting = dep.settle(hang, { idempotent: true });
      await clock.advance(1000);
      expect(errorOf(await waiting)).toMatchObject({
        code: 'ERR_UPSTREAM',
        stopped: 'attempts',
        attempts: 3,
        cause: { code: 'ERR_ATTEMPT_TIMEOUT' },
      });
      expect(now()).toMatchObject({ operations: { failed: 1, cancelled: 0 } });
      expect(now().breakers[0]).toMatchObject({ calls: 3, failures: 3 });
    },
  );

  test('is retried too where the policy says something else in its place', async () => {
    const { clock, dep } = single({ ...POLICY, policies: [{ policy: renaming({}), before: 'attempt' }] });
    const waiting = dep.settle(hang, { idempotent: true });
    await clock.advance(1000);
    expect(errorOf(await waiting)).toMatchObject({
      code: 'ERR_UPSTREAM',
      stopped: 'attempts',
      cause: { message: 'renamed' },
    });
  });

  test('ends with its caller, whatever the policy waits for', async () => {
    const stuck = definePolicy<object>('stuck', () => () => hang);
    const { clock, dep, now } = single({ ...POLICY, policies: [{ policy: stuck({}), before: 'attempt' }] });
    const controller = new AbortController();
    const reason = new Error('gone');
    const waiting = dep.settle(hang, { signal: controller.signal, idempotent: true });
    await clock.advance(10);
    controller.abort(reason);
    expect((await waiting).error).toBe(reason);
    expect(now()).toMatchObject({ inFlight: 0, operations: { cancelled: 1 } });
    expect(clock.pending).toBe(0);
  });
});
