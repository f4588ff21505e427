import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  createSpillway,
  type DependencyConfig,
  judge,
  type SpillwayEvent,
  seededRandom,
  VirtualClock,
} from '../../src/index.js';
import { FanOut } from '../../src/telemetry/fan-out.js';
import { bad, Held } from '../cases/support/single.js';
import { own, readAs } from './own-operation.js';

const POLICY: DependencyConfig = {
  attempt: { timeout: '100ms' },
  retry: {
    attempts: 2,
    backoff: { base: '10ms', jitter: 'none' },
    budget: { ratio: 0, window: '10s', minPerSecond: 0.1 },
  },
  breaker: { consecutive: 20, openFor: '5s', jitter: 0 },
  bulkhead: { concurrent: 2, queue: 1, wait: '50ms', detachAfter: '200ms' },
  fallback: () => 'mended',
};

/** Operations of which everything comes that can be told of one. */
async function play(link: 'fused' | 'layered', observers: readonly ((event: SpillwayEvent) => void)[] = []) {
  const clock = new VirtualClock();
  const spillway = createSpillway<{ dep: unknown }>(
    { dependencies: { dep: POLICY } },
    { clock, random: seededRandom(1), observers, ...(link === 'layered' && { link }) },
  );
  const dep = spillway.dependency('dep');
  const again = { idempotent: true };
  const held = new Held();
  void dep.settle(bad, again);
  await clock.advance(20);
  void dep.settle(bad, again);
  await clock.advance(20);
  void dep.run(own(() => 'page', { judge: readAs(judge('stale'), judge('answer')) }));
  await clock.advance(1);
  for (let i = 0; i < 4; i++) void dep.settle(held.work, again);
  await clock.advance(20);
  held.succeed(0);
  await clock.advance(130);
  held.succeed(1);
  await clock.advance(300);
  const fault = dep.inject({ latency: 1 });
  void dep.settle(() => 'fine');
  await clock.advance(10);
  fault.undo();
  dep.breaker.forceOpen();
  void dep.settle(() => 'fine');
  void dep.settle(() => 'fine', { fallback: () => bad() });
  await clock.advance(10);
}

describe.each(['fused', 'layered'] as const)('%s', (link) => {
  beforeEach(() => {
    jest.spyOn(FanOut.prototype, 'emit');
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('what nobody hears is not even put together', async () => {
    await play(link);
    expect(FanOut.prototype.emit).not.toHaveBeenCalled();
  });

  test('the same is told to who listens', async () => {
    const told = new Set<string>();
    await play(link, [({ type }) => told.add(type)]);
    expect([...told].sort()).toEqual([
      'attempt.end',
      'attempt.resend',
      'attempt.start',
      'attempt.wasted',
      'breaker.refused',
      'breaker.transition',
      'budget.refused',
      'bulkhead.dequeued',
      'bulkhead.detached',
      'bulkhead.queued',
      'bulkhead.reattached',
      'bulkhead.refused',
      'fallback.failed',
      'fallback.used',
      'fault.injected',
      'operation.end',
      'operation.start',
      'retry.scheduled',
      'retry.stopped',
    ]);
  });
});
