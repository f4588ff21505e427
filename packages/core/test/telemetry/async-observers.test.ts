import { expect, test } from '@jest/globals';
import { createSpillway, type SpillwayEvent } from '../../src/index.js';

const turns = () => new Promise((resolve) => setImmediate(resolve));

test('an async observer that rejects is counted and told as one that throws, and ends no process', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown) => void unhandled.push(reason);
  process.on('unhandledRejection', note);
  const events: SpillwayEvent[] = [];
  const spillway = createSpillway<{ db: unknown }>({ dependencies: { db: {} } });
  spillway.subscribe(async ({ type }) => {
    if (type === 'operation.end' || type === 'observer.failed') throw new Error('no disk');
  });
  spillway.subscribe((event) => events.push(event));
  expect(await spillway.dependency('db').call(() => 5)).toBe(5);
  await turns();
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
  expect(spillway.snapshot().observerFailures).toBe(1);
  expect(events.filter(({ type }) => type === 'observer.failed')).toEqual([
    expect.objectContaining({ error: 'Error: no disk' }),
  ]);
});

test.each([null, 0, '', {}, Promise.resolve(1)])('an observer may give back %p', async (given) => {
  const spillway = createSpillway<{ db: unknown }>({ dependencies: { db: {} } });
  spillway.subscribe(() => given as never);
  expect(await spillway.dependency('db').call(() => 5)).toBe(5);
  await turns();
  expect(spillway.snapshot().observerFailures).toBe(0);
});
