import { describe, expect, test } from '@jest/globals';
import {
  after,
  type Clock,
  createSpillway,
  type SpillwayEvent,
  seededRandom,
  Timer,
  VirtualClock,
} from '@spillway/core';
import fc from 'fast-check';
import { SimulationClock } from '../../src/time/simulation-clock.js';

class Mark extends Timer {
  readonly #fire: () => void;

  constructor(fire: () => void) {
    super();
    this.#fire = fire;
  }

  onTimer(): void {
    this.#fire();
  }
}

describe('virtual time of a world', () => {
  test('fires timers by instant, of one instant in the order of arming, arrivals first', async () => {
    const clock = new SimulationClock();
    const seen: string[] = [];
    after(clock, 20, () => seen.push(`late at ${clock.now()}`));
    after(clock, 10, () => seen.push('first armed'));
    after(clock, 10, () => seen.push('second armed'));
    clock.armArrival(new Mark(() => seen.push('arrival')), 10);
    await clock.run(20);
    expect(seen).toEqual(['arrival', 'first armed', 'second armed', 'late at 20']);
    expect(clock.now()).toBe(20);
    expect(clock.pending).toBe(0);
    expect(clock.events).toBe(4);
  });

  test('ends at the given instant, with later timers still armed', async () => {
    const clock = new SimulationClock();
    let fired = false;
    after(clock, 100, () => {
      fired = true;
    });
    await clock.run(99);
    expect([clock.now(), fired, clock.pending]).toEqual([99, false, 1]);
    await clock.run(100);
    expect(fired).toBe(true);
  });

  test('lets long promise chains finish before the next event of the same instant', async () => {
    const clock = new SimulationClock();
    const seen: string[] = [];
    const chain = async (): Promise<void> => {
      for (let hop = 0; hop < 500; hop++) await Promise.resolve();
      seen.push('chain');
    };
    after(clock, 5, () => void chain());
    after(clock, 5, () => seen.push('next event'));
    await clock.run(5);
    expect(seen).toEqual(['chain', 'next event']);
  });

  test('never fires what was disarmed, moves what is armed again, and ignores endless delays', async () => {
    const clock = new SimulationClock();
    const seen: string[] = [];
    const gone = after(clock, 5, () => seen.push('gone'));
    const moved = after(clock, 5, () => seen.push(`moved to ${clock.now()}`));
    after(clock, Number.POSITIVE_INFINITY, () => seen.push('endless'));
    after(clock, Number.NaN, () => seen.push(`no number at ${clock.now()}`));
    clock.disarm(gone);
    clock.arm(moved, 8);
    await clock.run(1000);
    expect(seen).toEqual(['no number at 0', 'moved to 8']);
  });

  test('passes on what a timer throws', async () => {
    const clock = new SimulationClock();
    after(clock, 1, () => {
      throw new Error('broken world');
    });
    await expect(clock.run(2)).rejects.toThrow('broken world');
  });

  test('lets the event loop turn now and then, and stops when told to', async () => {
    const clock = new SimulationClock();
    let turns = 0;
    const again = (): void => void after(clock, 1, again);
    again();
    await clock.run(1e9, () => ++turns < 3);
    expect(turns).toBe(3);
    expect(clock.events).toBeGreaterThan(8000);
    expect(clock.events).toBeLessThan(16_000);
  });

  test('keeps any mix of arming, moving and disarming in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            at: fc.integer({ min: 0, max: 50 }),
            moved: fc.option(fc.integer({ min: 0, max: 50 })),
            dropped: fc.boolean(),
          }),
        ),
        async (plan) => {
          const clock = new SimulationClock();
          const seen: [number, number][] = [];
          let order = 0;
          const due = plan.map(({ at }) => [at, 0] as [number, number]);
          const timers = plan.map(({ at }, i) => {
            (due[i] as [number, number])[1] = order++;
            return after(clock, at, () => seen.push(due[i] as [number, number]));
          });
          for (const [i, { moved, dropped }] of plan.entries()) {
            const timer = timers[i] as Timer;
            if (moved !== null) {
              due[i] = [moved, order++];
              clock.arm(timer, moved);
            }
            if (dropped) clock.disarm(timer);
          }
          await clock.run(100);
          const expected = plan.flatMap(({ dropped }, i) => (dropped ? [] : [due[i] as [number, number]]));
          expect(seen).toEqual(expected.sort(([a, m], [b, n]) => a - b || m - n));
        },
      ),
      { numRuns: 60 },
    );
  });
});

/** Forty operations on one dependency with retries, a breaker, a bulkhead and timeouts; every event of it. */
async function script(
  clock: Clock,
  run: (until: number) => Promise<void>,
  seed: number,
): Promise<SpillwayEvent[]> {
  const events: SpillwayEvent[] = [];
  const chance = seededRandom(seed);
  const spillway = createSpillway(
    {
      dependencies: {
        dep: {
          deadline: '900ms',
          attempt: { timeout: '120ms' },
          retry: { attempts: 4, backoff: { base: '10ms' } },
          breaker: { consecutive: 6, openFor: '300ms', probes: 1 },
          bulkhead: { concurrent: 3, queue: 3, wait: '80ms' },
        },
      },
    },
    { clock, random: seededRandom(seed + 1), observers: [(event) => events.push(event)] },
  );
  for (let i = 0; i < 40; i++) {
    after(clock, Math.floor(chance() * 2000), () => {
      const ms = chance() * 200;
      const fails = chance() < 0.5;
      void spillway.dependency('dep').settle(
        () =>
          new Promise((resolve, reject) => {
            after(clock, ms, () => (fails ? reject(new Error('no')) : resolve('yes')));
          }),
        { idempotent: true },
      );
    });
  }
  await run(10_000);
  return events;
}

test('gives the same events as the clock that waits for whole turns of the event loop after each timer', async () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const fast = new SimulationClock();
    const slow = new VirtualClock();
    const fastEvents = await script(fast, (until) => fast.run(until), seed);
    const slowEvents = await script(slow, (until) => slow.advanceTo(until), seed);
    expect(fastEvents.length).toBeGreaterThan(150);
    expect(fastEvents).toEqual(slowEvents);
  }
});
