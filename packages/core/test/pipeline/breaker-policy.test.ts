import { describe, expect, test } from '@jest/globals';
import { isSpillwayError } from '../../src/index.js';
import { rig } from './harness.js';

const down = async (): Promise<never> => {
  throw new Error('down');
};

const codes = async (promises: readonly Promise<{ readonly error?: unknown }>[]): Promise<unknown[]> =>
  (await Promise.all(promises)).map(({ error }) => (isSpillwayError(error) ? error.code : error));

describe('a breaker that observes operations', () => {
  test('counts a whole retry loop once, and its probe is a whole operation', async () => {
    const { spillway, clock } = rig({
      retry: { attempts: 3, backoff: { base: 10, jitter: 'none' }, budget: false },
      breaker: {
        observes: 'operations',
        consecutive: 2,
        openFor: '5s',
        jitter: 0,
        probes: 1,
        failureRate: false,
      },
    });
    const dep = spillway.dependency('dep');
    let calls = 0;
    const work = async () => {
      calls++;
      return down();
    };
    for (let i = 0; i < 2; i++) {
      const done = dep.settle(work, { idempotent: true });
      await clock.runToIdle();
      await done;
    }
    expect(calls).toBe(6);
    expect(dep.breaker.state).toBe('open');
    expect(await codes([dep.settle(work, { idempotent: true })])).toEqual(['ERR_BREAKER_OPEN']);
    await clock.advance(5000);
    const probe = dep.settle(work, { idempotent: true });
    const beside = dep.settle(work, { idempotent: true });
    await clock.advance(100);
    expect(await codes([probe, beside])).toEqual(['ERR_UPSTREAM', 'ERR_BREAKER_OPEN']);
    expect(calls).toBe(9);
  });

  test('lets operations that it had admitted finish their loops after it opened', async () => {
    const { spillway, clock } = rig({
      retry: { attempts: 3, backoff: { base: 100, factor: 1, jitter: 'none' }, budget: false },
      breaker: { observes: 'operations', consecutive: 1, openFor: '5s', jitter: 0, failureRate: false },
    });
    const dep = spillway.dependency('dep');
    const seen: number[] = [];
    const work = (name: number) => async () => {
      seen.push(name);
      return down();
    };
    const first = dep.settle(work(1), { idempotent: true });
    await clock.advance(50);
    const second = dep.settle(work(2), { idempotent: true });
    await clock.runToIdle();
    expect(await codes([first, second])).toEqual(['ERR_UPSTREAM', 'ERR_UPSTREAM']);
    expect(seen).toEqual([1, 2, 1, 2, 1, 2]);
  });
});

describe('a breaker that observes both', () => {
  test('is tripped by its window of operations when the attempts alone would not', async () => {
    const { spillway, clock } = rig({
      retry: { attempts: 2, backoff: { base: 10, jitter: 'none' }, budget: false },
      breaker: {
        observes: 'both',
        consecutive: false,
        failureRate: 1,
        minCalls: 3,
        openFor: '5s',
        jitter: 0,
        window: '30s',
      },
    });
    const dep = spillway.dependency('dep');
    // classify calls the first attempt of each operation good for the breaker, so that only operations fail throughout
    const classify = (_: unknown, { attempt }: { attempt: number }) =>
      attempt === 1 ? ({ retry: true, breaker: 'success', fallback: true } as const) : undefined;
    for (let i = 0; i < 3; i++) {
      expect(dep.breaker.state).toBe('closed');
      const done = dep.settle(down, { idempotent: true, classify });
      await clock.runToIdle();
      await done;
    }
    expect(dep.breaker.state).toBe('open');
  });

  test('drops the result of an operation that an earlier generation admitted', async () => {
    const { spillway, clock } = rig({
      retry: { attempts: 1 },
      breaker: {
        observes: 'both',
        consecutive: false,
        failureRate: 1,
        minCalls: 1,
        openFor: '1s',
        jitter: 0,
        probes: 1,
      },
    });
    const dep = spillway.dependency('dep');
    let release: () => void = () => undefined;
    const slow = dep.settle(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return down();
    });
    await clock.advance(0);
    dep.breaker.reset();
    release();
    await slow;
    await clock.advance(0);
    expect(dep.breaker.state).toBe('closed');
  });
});

describe('whenOpen: wait', () => {
  const options = {
    retry: { attempts: 1 },
    breaker: { consecutive: 1, openFor: '2s', jitter: 0, probes: 1, whenOpen: { wait: '3s' } },
  } as const;

  test('waits for the open time to end and becomes the probe', async () => {
    const { spillway, clock } = rig(options);
    const dep = spillway.dependency('dep');
    await dep.settle(down);
    const waiting = dep.settle(async () => clock.now());
    await clock.advance(1999);
    expect(clock.pending).toBeGreaterThan(0);
    await clock.advance(1);
    expect(await waiting).toMatchObject({ ok: true, value: 2000 });
    expect(clock.pending).toBe(0);
  });

  test('goes on as soon as another call has closed the breaker', async () => {
    const { spillway, clock } = rig(options);
    const dep = spillway.dependency('dep');
    await dep.settle(down);
    const waiting = dep.settle(async () => clock.now());
    await clock.advance(500);
    dep.breaker.forceClose();
    expect(await waiting).toMatchObject({ ok: true, value: 500 });
  });

  test('gives up after its wait, and at once when it is cancelled', async () => {
    const { spillway, clock } = rig({ ...options, breaker: { ...options.breaker, openFor: '10s' } });
    const dep = spillway.dependency('dep');
    await dep.settle(down);
    const controller = new AbortController();
    const cancelled = dep.settle(down, { signal: controller.signal });
    const patient = dep.settle(down);
    await clock.advance(1000);
    controller.abort(new Error('gone'));
    expect((await cancelled).error).toMatchObject({ message: 'gone' });
    await clock.advance(1999);
    expect(clock.pending).toBeGreaterThan(0);
    await clock.advance(1);
    expect((await patient).error).toMatchObject({ code: 'ERR_BREAKER_OPEN', retryAfterMs: 7000 });
    expect(clock.pending).toBe(0);
  });
});

describe('observe mode', () => {
  test('refuses nothing, says what it would have refused, and judges only the calls it would have admitted', async () => {
    const enforcing = rig({
      retry: { attempts: 1 },
      breaker: { consecutive: 3, openFor: '5s', jitter: 0, probes: 1, failureRate: false },
    });
    const observing = rig({
      retry: { attempts: 1 },
      breaker: { consecutive: 3, openFor: '5s', jitter: 0, probes: 1, failureRate: false, mode: 'observe' },
    });
    let reached = 0;
    const states: string[][] = [];
    for (const { spillway, clock } of [enforcing, observing]) {
      const seen: string[] = [];
      for (let i = 0; i < 200; i++) {
        await spillway.dependency('dep').settle(async () => {
          if (spillway === observing.spillway) reached++;
          return down();
        });
        seen.push(spillway.dependency('dep').breaker.state);
        await clock.advance(100);
      }
      states.push(seen);
    }
    expect(reached).toBe(200);
    expect(states[1]).toEqual(states[0]);
    const refused = (rigged: typeof observing) =>
      rigged.events.filter(({ type }) => type === 'breaker.refused').length;
    expect(refused(observing)).toBe(refused(enforcing));
    expect(refused(observing)).toBeGreaterThan(100);
  });

  test('of a bulkhead runs more than its units and counts what it would have refused', async () => {
    const { spillway, clock, events } = rig({ bulkhead: { concurrent: 1, queue: 0, mode: 'observe' } });
    const dep = spillway.dependency('dep');
    let running = 0;
    let most = 0;
    const work = async () => {
      running++;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
    };
    const ends: (() => void)[] = [];
    const done = [1, 2, 3].map(() => dep.settle(work));
    await clock.advance(0);
    for (const end of ends) end();
    await Promise.all(done);
    expect(most).toBe(3);
    expect(events.filter((event) => event.type === 'bulkhead.refused' && event.observed)).toHaveLength(2);
    expect(spillway.snapshot().dependencies[0]?.bulkhead).toMatchObject({ inUse: 0 });
  });

  test('of a budget lets every retry pass', async () => {
    const { spillway, clock, events } = rig({
      retry: {
        attempts: 3,
        backoff: { base: 1, jitter: 'none' },
        budget: { ratio: 0, minPerSecond: 0, concurrent: false, mode: 'observe' },
      },
      breaker: false,
    });
    let calls = 0;
    const done = spillway.dependency('dep').settle(
      async () => {
        calls++;
        return down();
      },
      { idempotent: true },
    );
    await clock.runToIdle();
    await done;
    expect(calls).toBe(3);
    expect(spillway.snapshot().dependencies[0]?.budget).toMatchObject({ granted: 0, retrying: 0 });
    expect(events.filter((event) => event.type === 'budget.refused' && event.observed)).toHaveLength(2);
  });
});

describe('breaker controls', () => {
  test('force it open until it is closed by hand, for keys to come too', async () => {
    const { spillway, clock } = rig({
      retry: { attempts: 1 },
      breaker: { scope: ({ operation }) => operation, openFor: '3s' },
    });
    const dep = spillway.dependency('dep');
    dep.breaker.forceOpen();
    await clock.advance(60_000);
    const refused = await dep.settle(async () => 1, { operation: 'a' });
    expect(refused.error).toMatchObject({ code: 'ERR_BREAKER_OPEN', headers: { 'Retry-After': '3' } });
    expect(dep.breaker('a').state).toBe('forced-open');
    dep.breaker.forceClose();
    expect(await dep.settle(async () => 1, { operation: 'a' })).toMatchObject({ ok: true });
    expect(await dep.settle(async () => 1, { operation: 'b' })).toMatchObject({ ok: true });
  });

  test('are by key where the key of the call is the scope', async () => {
    const { spillway } = rig({
      retry: { attempts: 1 },
      breaker: { scope: ({ key = 'nobody' }) => key, consecutive: 1 },
    });
    const dep = spillway.dependency('dep');
    await dep.settle(down, { key: 'tenant-1' });
    expect(dep.breaker('tenant-1').state).toBe('open');
    expect(await dep.settle(async () => 1, { key: 'tenant-2' })).toMatchObject({ ok: true });
    expect(dep.breaker('nobody').state).toBe('closed');
  });

  test('hand an open breaker over to another process, where it probes', async () => {
    const breaker = { consecutive: 1, openFor: '5s', jitter: 0, probes: 1 } as const;
    const first = rig({ retry: { attempts: 1 }, breaker });
    await first.spillway.dependency('dep').settle(down);
    const saved = JSON.parse(JSON.stringify(first.spillway.dependency('dep').breaker.export()));
    const second = rig({ retry: { attempts: 1 }, breaker });
    second.clock.shiftWall(2000);
    second.spillway.dependency('dep').breaker.restore(saved);
    const { state, retryAfterMs } = second.spillway.dependency('dep').breaker;
    expect({ state, retryAfterMs }).toEqual({ state: 'open', retryAfterMs: 3000 });
    await second.clock.advance(3000);
    expect(await second.spillway.dependency('dep').settle(async () => 1)).toMatchObject({ ok: true });
    expect(second.spillway.dependency('dep').breaker.state).toBe('closed');
  });
});
