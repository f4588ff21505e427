import { describe, expect, test } from '@jest/globals';
import { Units } from '../../src/algorithms/units.js';
import type { Attempt } from '../../src/index.js';
import type { OperationFacts } from '../../src/pipeline/operation-call.js';
import { Detachment } from '../../src/policies/detachment.js';
import type { Timer } from '../../src/time/clock.js';
import { Held, single } from '../cases/support/single.js';

/** Work that outlives its attempt, which began at 5 ms and ends at 105 ms, and is called detached from then on. */
async function detached(detachAfter: '1s' | 0 = '1s') {
  const one = single({
    retry: false,
    breaker: false,
    attempt: { timeout: '100ms' },
    bulkhead: { concurrent: 1, queue: 0, detachAfter },
  });
  const held = new Held();
  await one.clock.advance(5);
  const done = one.dep.settle(held.work, { operation: 'read' });
  await one.clock.advance(100);
  await done;
  const told = () => one.events.filter(({ type }) => /detached|reattached/.test(type));
  return { ...one, held, told };
}

const NAMES = { dependency: 'dep', operation: 'read', id: 1 };

describe('work that runs on after its attempt', () => {
  test('keeps its unit until it ends, and both are told', async () => {
    const { clock, held, told, now } = await detached();
    expect(now().bulkhead).toMatchObject({ inUse: 1, detached: 1 });
    await clock.advance(300);
    held.succeed(0);
    await clock.advance(0);
    expect(now().bulkhead).toMatchObject({ inUse: 0, detached: 0 });
    expect(told()).toEqual([
      { type: 'bulkhead.detached', ...NAMES, at: 105 },
      { type: 'bulkhead.reattached', ...NAMES, at: 405, afterMs: 300, gaveUp: false },
    ]);
    expect(clock.pending).toBe(0);
  });

  test('keeps it for `detachAfter` at the most, and its end is then of no account', async () => {
    const { clock, held, told, now } = await detached();
    await clock.advance(999);
    expect(now().bulkhead).toMatchObject({ inUse: 1, detached: 1 });
    await clock.advance(1);
    expect(now().bulkhead).toMatchObject({ inUse: 0, detached: 0 });
    held.fail(0);
    await clock.advance(10);
    expect(told()).toEqual([
      { type: 'bulkhead.detached', ...NAMES, at: 105 },
      { type: 'bulkhead.reattached', ...NAMES, at: 1105, afterMs: 1000, gaveUp: true },
    ]);
    expect([clock.pending, now().bulkhead]).toEqual([0, expect.objectContaining({ inUse: 0, detached: 0 })]);
  });

  test('is none when it ends within the turn', async () => {
    const { clock, dep, events, now } = single({
      retry: false,
      breaker: false,
      attempt: { timeout: '100ms' },
      bulkhead: { concurrent: 1, queue: 0 },
    });
    const obeys = ({ signal }: { readonly signal: AbortSignal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const done = dep.settle(obeys);
    await clock.advance(100);
    await done;
    expect(events.filter(({ type }) => type.startsWith('bulkhead'))).toEqual([]);
    expect([clock.pending, now().bulkhead]).toEqual([0, expect.objectContaining({ inUse: 0, detached: 0 })]);
  });
});

test('work that nobody waits for any more does not keep the process alive', () => {
  const armed: boolean[] = [];
  const clock = {
    now: () => 0,
    wall: () => 0,
    arm: (timer: Timer) => armed.push(timer.keepAlive),
    disarm: () => 0,
  };
  const attempt = { whenIdle: () => undefined } as unknown as Attempt;
  new Detachment({ clock } as unknown as OperationFacts, attempt, new Units(1, 0));
  expect(armed).toEqual([false]);
});
