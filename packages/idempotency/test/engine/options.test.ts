import { expect, test } from '@jest/globals';
import { VirtualClock } from '@spillway/core';
import { memoryStore } from '@spillway/idempotency/memory';
import { createIdempotency } from '../../src/index.js';

test('A lease that was not written is no longer than the life of the record.', async () => {
  const clock = new VirtualClock();
  const engine = createIdempotency({ store: memoryStore({ clock }), clock, ttl: 50, sweepEvery: false });
  let runs = 0;
  const run = () => engine.run('K', 1, () => ++runs);
  expect([(await run()).value, (await run()).value]).toEqual([1, 1]);
  await clock.advance(50);
  expect((await run()).value).toBe(2);
});

test('A written lease above the life of the record is told.', () => {
  expect(() => createIdempotency({ store: memoryStore(), ttl: '1s', lease: '2s' })).toThrow(/ttl: 1s/);
});

test('Work whose value JSON cannot hold is told so, and is not done again.', async () => {
  const engine = createIdempotency({ store: memoryStore() });
  let runs = 0;
  const run = () => engine.run('K', 1, () => BigInt(++runs));
  await expect(run()).rejects.toThrow(TypeError);
  expect(await run()).toEqual({ replayed: true, stored: false, value: undefined });
  expect(runs).toBe(1);
});

test('A checkpoint may have any name, and none is there before it was noted.', async () => {
  const engine = createIdempotency({ store: memoryStore() });
  const { value } = await engine.run('K', 1, async (context) => {
    const before = context.saved('constructor');
    await context.checkpoint('constructor', 1);
    return [before, context.saved('constructor')];
  });
  expect(value).toEqual([undefined, 1]);
});
