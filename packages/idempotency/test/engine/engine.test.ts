import { describe, expect, test } from '@jest/globals';
import { memoryStore } from '@spillway/idempotency/memory';
import { manualClock } from '@spillway/testing';
import type { IdempotencyStore } from '../../src/engine/store.js';
import { createIdempotency, type EngineOptions, type IdempotencyEvent } from '../../src/index.js';
import { gate } from '../support/wire.js';

const LEASE = 30_000;

function set(more: Partial<EngineOptions> = {}) {
  const clock = manualClock();
  const store = memoryStore({ clock });
  const events: IdempotencyEvent[] = [];
  const idempotency = createIdempotency({
    store: store as IdempotencyStore,
    clock,
    observe: (event) => events.push(event),
    ...more,
  });
  return {
    clock,
    store,
    idempotency,
    events,
    seen: (type: string) => events.filter((event) => event.type === type),
  };
}

/** A store whose methods answer only when told to. */
function slowStore(
  store: IdempotencyStore,
  method: keyof IdempotencyStore,
  waitFor: Promise<void>,
): IdempotencyStore {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== method) return value.bind(target);
      return async (...args: unknown[]) => {
        const result: unknown = await Reflect.apply(value, target, args);
        await waitFor;
        return result;
      };
    },
  });
}

describe('run', () => {
  test('runs once and gives what the work returned the first time, whatever JSON it is', async () => {
    for (const value of [undefined, null, 0, '', { a: [1] }, 'text']) {
      const { idempotency } = set();
      let runs = 0;
      const work = () => {
        runs++;
        return value;
      };
      expect(await idempotency.run('k', 1, work)).toEqual({
        replayed: false,
        stored: true,
        value,
        attempt: 1,
      });
      expect(await idempotency.run('k', 1, work)).toEqual({ replayed: true, stored: true, value });
      expect(runs).toBe(1);
    }
  });

  test('refuses another payload, and keeps scopes apart', async () => {
    const { idempotency } = set();
    await idempotency.run('k', { a: 1 }, () => 1);
    await expect(idempotency.run('k', { a: 2 }, () => 2)).rejects.toMatchObject({
      code: 'ERR_IDEMPOTENCY_MISMATCH',
      status: 422,
    });
    expect(await idempotency.run('k', { a: 2 }, () => 2, { scope: 'other' })).toMatchObject({
      value: 2,
      replayed: false,
    });
  });

  test('what the work throws is thrown, and the key is free again', async () => {
    const { idempotency, seen } = set();
    const failure = new TypeError('no');
    await expect(idempotency.run('k', 1, () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await idempotency.run('k', 2, () => 'yes')).toMatchObject({ value: 'yes', attempt: 1 });
    expect(seen('idempotency.end').map((event) => (event as { outcome: string }).outcome)).toEqual([
      'released',
      'completed',
    ]);
  });

  test('does not keep a value above the cap, nor run the work again', async () => {
    const { idempotency } = set({ maxStoredBody: 50 });
    expect(await idempotency.run('k', 1, () => 'x'.repeat(100))).toMatchObject({ value: 'x'.repeat(100) });
    expect(await idempotency.run('k', 1, () => 'again')).toEqual({
      replayed: true,
      stored: false,
      value: undefined,
    });
  });

  test('an empty key is a programmer’s error', async () => {
    await expect(set().idempotency.run('', 1, () => 1)).rejects.toThrow(TypeError);
  });
});

describe('the lease', () => {
  test('a living run of many leases keeps its key by renewing at a third of the lease', async () => {
    const { clock, idempotency } = set();
    const finish = gate();
    const first = idempotency.run('k', 1, async () => {
      await finish.opened;
      return 'first';
    });
    for (let i = 0; i < 40; i++) {
      await clock.advance(LEASE / 10);
      await expect(idempotency.run('k', 1, () => 'second')).rejects.toMatchObject({
        code: 'ERR_IDEMPOTENCY_IN_PROGRESS',
      });
    }
    finish.open();
    expect(await first).toMatchObject({ value: 'first' });
    expect(clock.pending).toBeLessThanOrEqual(1);
  });

  test('a run whose key was taken over is told, and its checkpoints and answer are refused', async () => {
    const { clock, store, idempotency, seen } = set();
    const stopped = manualClock();
    const sleeper = createIdempotency({ store: store as IdempotencyStore, clock: stopped });
    const awake = gate();
    let aborted = false;
    const first = sleeper.run('k', 1, async (run) => {
      run.signal.addEventListener('abort', () => {
        aborted = true;
      });
      await awake.opened;
      await run.checkpoint('late', 1);
    });
    await clock.advance(LEASE);
    expect(await idempotency.run('k', 1, () => 'new')).toMatchObject({ attempt: 2 });
    awake.open();
    await expect(first).rejects.toThrow('taken over');
    expect(aborted).toBe(true);
    expect((await idempotency.run('k', 1, () => 'no')).value).toBe('new');
    expect(seen('idempotency.end')).toHaveLength(1);
  });
});

describe('a store that is slow or away', () => {
  test('is waited for no longer than the store timeout; a claim that succeeds after that is taken back', async () => {
    const answer = gate();
    const base = set();
    const slow = slowStore(base.store, 'begin', answer.opened);
    const idempotency = createIdempotency({
      store: slow,
      clock: base.clock,
      observe: (event) => base.events.push(event),
    });
    const refused = idempotency.run('k', 1, () => 'never');
    const outcome = expect(refused).rejects.toMatchObject({
      code: 'ERR_IDEMPOTENCY_STORE_UNAVAILABLE',
      status: 503,
      headers: { 'Retry-After': '1' },
    });
    await base.clock.advance(100);
    await outcome;
    expect(base.store.size).toBe(1);
    answer.open();
    await base.clock.advance(0);
    expect(base.store.size).toBe(0);
    expect(base.seen('idempotency.store-error')).toMatchObject([{ operation: 'begin', timeout: true }]);
  });

  test('an answer it did not take is offered again until it does', async () => {
    const base = set();
    let down = true;
    const flaky = new Proxy<IdempotencyStore>(base.store, {
      get(target, name) {
        if (name === 'complete' && down) return () => Promise.reject(new Error('down'));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const idempotency = createIdempotency({ store: flaky, clock: base.clock });
    expect(await idempotency.run('k', 1, () => 'done')).toMatchObject({ value: 'done' });
    await expect(idempotency.run('k', 1, () => 'no')).rejects.toMatchObject({
      code: 'ERR_IDEMPOTENCY_IN_PROGRESS',
    });
    down = false;
    await base.clock.advance(LEASE / 10);
    expect((await idempotency.run('k', 1, () => 'no')).value).toBe('done');
  });

  test('a failing observer never reaches the work', async () => {
    const { idempotency } = set({
      observe: () => {
        throw new Error('observer');
      },
    });
    expect(await idempotency.run('k', 1, () => 'fine')).toMatchObject({ value: 'fine' });
  });
});

describe('waiting for the first one', () => {
  test('gives its answer, or refuses when the wait is over', async () => {
    const { clock, idempotency } = set({ wait: '2s' });
    const finish = gate();
    const first = idempotency.run('k', 1, () => finish.opened.then(() => 'first'));
    const second = idempotency.run('k', 1, () => 'second');
    await clock.advance(500);
    finish.open();
    await clock.advance(300);
    expect(await Promise.all([first, second])).toMatchObject([
      { value: 'first' },
      { value: 'first', replayed: true },
    ]);
    const forever = gate();
    void idempotency.run('k2', 1, () => forever.opened);
    const tired = expect(idempotency.run('k2', 1, () => 'no')).rejects.toMatchObject({
      code: 'ERR_IDEMPOTENCY_IN_PROGRESS',
    });
    await clock.advance(2_000);
    await tired;
    forever.open();
  });

  test('runs itself when the first one fails', async () => {
    const { clock, idempotency } = set({ wait: '2s' });
    const finish = gate();
    const first = idempotency.run('k', 1, () =>
      finish.opened.then(() => Promise.reject(new Error('first failed'))),
    );
    const failed = expect(first).rejects.toThrow('first failed');
    const second = idempotency.run('k', 1, () => 'second');
    await clock.advance(100);
    finish.open();
    await failed;
    await clock.advance(300);
    expect(await second).toMatchObject({ value: 'second', replayed: false });
  });
});

describe('sweeping', () => {
  test('deletes what has expired, in batches, some time after the first request', async () => {
    const { clock, store, idempotency, seen } = set({ ttl: '40s', sweepEvery: '1m' });
    for (let i = 0; i < 450; i++) await idempotency.run(`k${i}`, 1, () => i);
    expect(store.size).toBe(450);
    await clock.advance(60_000);
    await clock.advance(100);
    expect(store.size).toBe(0);
    expect(seen('idempotency.swept')).toMatchObject([{ records: 450 }]);
    idempotency.close();
    expect(clock.pending).toBe(0);
  });

  test('by hand, all at once', async () => {
    const { clock, idempotency } = set({ ttl: '40s', sweepEvery: false });
    for (let i = 0; i < 250; i++) await idempotency.run(`k${i}`, 1, () => i);
    await clock.advance(40_000);
    const swept = idempotency.sweep();
    await clock.advance(10);
    expect(await swept).toBe(250);
  });
});

describe('options', () => {
  test.each([
    ['store', { store: {} }, /^store: /],
    ['lease', { lease: 50 }, /^lease: 50 .*100 to 86400000/],
    ['lease in words', { lease: 'soon' }, /^lease: soon/],
    ['ttl under the lease', { ttl: '1s', lease: '2s' }, /^ttl: 1s/],
    ['storeTimeout', { storeTimeout: 0 }, /^storeTimeout: 0/],
    ['wait', { wait: -1 }, /^wait: -1/],
    ['maxStoredBody', { maxStoredBody: 1.5 }, /^maxStoredBody: 1.5/],
    ['sweepEvery', { sweepEvery: 0 }, /^sweepEvery: 0/],
  ])('a wrong %s is refused by name, value and range', (_what, more, message) => {
    const make = () => createIdempotency({ store: memoryStore(), ...more } as unknown as EngineOptions);
    expect(make).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringMatching(message) }),
    );
  });
});
