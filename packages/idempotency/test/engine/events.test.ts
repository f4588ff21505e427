import { describe, expect, test } from '@jest/globals';
import { createSpillway, type Observer, type Spillway, type SpillwayEvent } from '@spillway/core';
import { memoryStore } from '@spillway/idempotency/memory';
import { manualClock } from '@spillway/testing';
import type { IdempotencyStore } from '../../src/engine/store.js';
import { createIdempotency, type EngineOptions } from '../../src/index.js';
import { gate } from '../support/wire.js';

const LEASE = 30_000;

function set(observer?: Observer) {
  const clock = manualClock();
  const spillway = createSpillway({ service: 'shop' }, { clock });
  const events: SpillwayEvent[] = [];
  spillway.subscribe(observer ?? ((event) => events.push(event)));
  const store = memoryStore({ clock });
  return { clock, spillway, events, store, engine: engineOn(spillway, store) };
}

function engineOn(spillway: Spillway, store: IdempotencyStore, more: Partial<EngineOptions> = {}) {
  return createIdempotency<IdempotencyStore>({ store, spillway, ...more });
}

function told(events: readonly SpillwayEvent[]) {
  return events.map((event) =>
    event.type === 'idempotency.begin'
      ? event.decision
      : event.type === 'idempotency.end'
        ? event.outcome
        : event.type,
  );
}

describe('the observers of a spillway', () => {
  test('hear of a run, its replay, a mismatch and a duplicate in progress', async () => {
    const { engine, events } = set();
    const working = gate();
    const first = engine.run('k', 1, () => working.opened);
    await expect(engine.run('k', 1, () => 0)).rejects.toThrow('still being processed');
    working.open();
    await first;
    await engine.run('k', 1, () => 0);
    await expect(engine.run('k', 2, () => 0)).rejects.toThrow('another request');
    expect(told(events)).toEqual(['run', 'in-progress', 'completed', 'replay', 'mismatch']);
  });

  test('hear of an answer that was not kept', async () => {
    const { spillway, store, events } = set();
    const engine = engineOn(spillway, store, { maxStoredBody: 1 });
    await engine.run('k', 1, () => 'large');
    expect(await engine.run('k', 1, () => 'again')).toMatchObject({ stored: false });
    expect(told(events)).toEqual(['run', 'completed', 'not-stored']);
  });

  test('hear of a lease that lapsed, and of the answer that came after it', async () => {
    const { clock, spillway, store, engine, events } = set();
    const stopped = manualClock();
    const awake = gate();
    // a process that stands still renews nothing
    const sleeper = engineOn(spillway, store, { clock: stopped });
    const first = sleeper.run('k', 1, async (run) => {
      await awake.opened;
      await run.checkpoint('late', 1);
    });
    await clock.advance(LEASE);
    await engine.run('k', 1, () => 'new');
    awake.open();
    await expect(first).rejects.toThrow('taken over');
    expect(told(events)).toEqual(['run', 'run', 'completed', 'idempotency.lost', 'stale']);
  });

  test('hear of a store that fails, by what it was asked and what it said', async () => {
    const { spillway, store, events } = set();
    const broken = new Proxy<IdempotencyStore>(store, {
      get: (target, name) =>
        name === 'begin' ? () => Promise.reject(new Error('down')) : Reflect.get(target, name, target),
    });
    await expect(engineOn(spillway, broken).run('k', 1, () => 0)).rejects.toMatchObject({
      code: 'ERR_IDEMPOTENCY_STORE_UNAVAILABLE',
      blame: 'us',
    });
    expect(events).toMatchObject([
      { type: 'idempotency.store-error', operation: 'begin', timeout: false, error: 'Error: down' },
    ]);
  });

  test('see keys as hashes, on the clock of the spillway', async () => {
    const { clock, engine, events } = set();
    await clock.advance(1234);
    await engine.run('secret-key', 1, () => 0);
    expect(events.map(({ at }) => at)).toEqual([1234, 1234]);
    expect(JSON.stringify(events)).not.toContain('secret');
    expect(events[0]).toMatchObject({ key: expect.stringMatching(/^[0-9a-f]{16}$/) });
  });

  test('that throw never reach the work, and are counted', async () => {
    const { spillway, engine } = set(() => {
      throw new Error('observer');
    });
    expect(await engine.run('k', 1, () => 'fine')).toMatchObject({ value: 'fine' });
    expect(spillway.snapshot().observerFailures).toBe(2);
  });
});

test('without observers no event is built', async () => {
  const { clock, store } = set();
  const spillway = createSpillway({ service: 'quiet' }, { clock });
  let read = 0;
  const emit = spillway.events.emit.bind(spillway.events);
  spillway.events.emit = (event) => {
    read++;
    emit(event);
  };
  const engine = engineOn(spillway, store);
  await engine.run('a', 1, () => 0);
  expect(read).toBe(0);
  spillway.subscribe(() => undefined);
  await engine.run('b', 1, () => 0);
  expect(read).toBe(2);
});
