import { describe, expect, test } from '@jest/globals';
import type { DependencyConfig, SpillwayEvent } from '../../src/index.js';
import { VIRTUAL_EPOCH_MS } from '../../src/time/virtual-clock.js';
import { bad, errorOf, good, hang, single } from './support/single.js';

const POLICY: DependencyConfig = {
  deadline: '4s',
  attempt: { timeout: '1s' },
  retry: { attempts: 3, backoff: { base: '200ms', jitter: 'full' } },
  breaker: { window: '10s', minCalls: 8, failureRate: 0.5, openFor: '5s', probes: 1 },
  bulkhead: { concurrent: 2, queue: 2, wait: '700ms', detachAfter: '2s' },
};

const HOUR = 3_600_000;

/** A quarter of a minute of calls of every kind; the wall clock moves between them by `steps`. */
async function play(steps: readonly number[]): Promise<readonly SpillwayEvent[]> {
  const { clock, dep, events } = single(POLICY);
  const works = [hang, hang, good, good, bad];
  for (let call = 0; call < 60; call++) {
    void dep.settle(works[call % works.length] as () => Promise<unknown>, { idempotent: call % 2 === 0 });
    await clock.advance(250);
    const step = steps[call % (steps.length || 1)];
    if (step !== undefined) clock.shiftWall(step);
  }
  await clock.runToIdle();
  return events;
}

describe('the wall clock', () => {
  test('C-088 may jump as it likes: nothing but dates in headers goes by it', async () => {
    const still = await play([]);
    const types = new Set(still.map(({ type }) => type));
    for (const type of ['retry.scheduled', 'breaker.transition', 'bulkhead.queued', 'bulkhead.detached']) {
      expect(types).toContain(type);
    }
    expect(await play([-HOUR, HOUR, 10 * 365 * 24 * HOUR])).toEqual(still);

    const inFive = new Date(VIRTUAL_EPOCH_MS + 5000).toUTCString();
    const asked = async () => new Response(null, { status: 503, headers: { 'retry-after': inFive } });
    const waitOf = async (shift: number) => {
      const { clock, dep, of } = single({
        deadline: '1m',
        retry: {
          attempts: 2,
          backoff: { base: '300ms', cap: '300ms', jitter: 'none' },
          maxRetryAfter: '30s',
        },
      });
      clock.shiftWall(shift);
      const done = dep.settle(asked, { idempotent: true });
      await clock.runToIdle();
      return [of('retry.scheduled')[0]?.delayMs, errorOf(await done).stopped];
    };
    const [onTime] = await waitOf(0);
    expect(onTime).toBeGreaterThanOrEqual(5000);
    expect(await waitOf(HOUR)).toEqual([300, 'attempts']);
    expect(await waitOf(-HOUR)).toEqual([undefined, 'retry-after']);
  });
});
