import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test } from '@jest/globals';
import type { DependencyConfig } from '../../src/index.js';
import { rig } from './harness.js';

const ONE_AT_A_TIME: DependencyConfig = { bulkhead: { concurrent: 1, queue: 10, wait: '5s' } };

/** Holds the only unit until it is let go. */
function holder() {
  let letGo: () => void = () => undefined;
  const work = () =>
    new Promise<string>((resolve) => {
      letGo = () => resolve('held');
    });
  return { work, letGo: () => letGo() };
}

describe('an operation in the queue', () => {
  test('works in the context of its own caller, not of the one that gave the unit back', async () => {
    const { spillway, clock } = rig(ONE_AT_A_TIME);
    const dep = spillway.dependency('dep');
    const storage = new AsyncLocalStorage<string>();
    const held = holder();
    const first = storage.run('first', () => dep.call(held.work));
    const second = storage.run('second', () => dep.call(async () => storage.getStore()));
    held.letGo();
    await clock.advance(1);
    expect(await first).toBe('held');
    expect(await second).toBe('second');
  });

  test('gives its unit on when its caller went away in the turn in which the unit came', async () => {
    const { spillway, clock, events } = rig(ONE_AT_A_TIME);
    const dep = spillway.dependency('dep');
    const held = holder();
    const controller = new AbortController();
    spillway.subscribe(({ type }) => {
      if (type === 'bulkhead.dequeued') controller.abort('gone');
    });
    const first = dep.call(held.work);
    const second = dep.settle(async () => 'second', { signal: controller.signal });
    const third = dep.call(async () => 'third');
    held.letGo();
    await clock.advance(1);
    expect([await first, (await second).error, await third]).toEqual(['held', 'gone', 'third']);
    expect(spillway.snapshot().dependencies[0]?.bulkhead).toMatchObject({ inUse: 0, queued: 0 });
    expect(events.filter(({ type }) => type === 'attempt.start')).toHaveLength(2);
  });

  test('meets the breaker that opened while it waited, and gives its unit on', async () => {
    const { spillway, clock } = rig({ ...ONE_AT_A_TIME, retry: false });
    const dep = spillway.dependency('dep');
    const held = holder();
    const first = dep.call(held.work);
    const second = dep.settle(async () => 'second');
    dep.breaker.forceOpen();
    held.letGo();
    await clock.advance(1);
    expect(await first).toBe('held');
    expect((await second).error).toMatchObject({ code: 'ERR_BREAKER_OPEN' });
    expect(spillway.snapshot().dependencies[0]?.bulkhead).toMatchObject({ inUse: 0, queued: 0 });
  });
});

describe('an operation between two attempts', () => {
  test('works in the context of its caller again', async () => {
    const { spillway, clock } = rig({ retry: { budget: false } });
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const work = async () => {
      seen.push(storage.getStore());
      if (seen.length < 3) throw Object.assign(new Error('down'), { code: 'ECONNRESET' });
      return 'up';
    };
    const result = storage.run('caller', () =>
      spillway.dependency('dep').call(work, { idempotent: true, retry: { attempts: 3 } }),
    );
    await clock.advance(60_000);
    expect(await result).toBe('up');
    expect(seen).toEqual(['caller', 'caller', 'caller']);
  });

  test('fails with what its backoff function threw, and is counted out', async () => {
    const mistake = new Error('no such delay');
    const { spillway, events } = rig({
      retry: {
        backoff: () => {
          throw mistake;
        },
      },
    });
    const down = async () => {
      throw new Error('down');
    };
    const settled = spillway.dependency('dep').settle(down, { idempotent: true });
    expect((await settled).error).toBe(mistake);
    expect(events.at(-1)).toMatchObject({ type: 'operation.end', outcome: 'failed', attempts: 1 });
  });
});
