import { describe, expect, jest, test } from '@jest/globals';
import type { BreakerConfig, DependencyConfig, Outcome } from '../../src/index.js';
import { bad, codesOf, errorOf, good, guarded, Held } from '../cases/support/single.js';

/** A breaker that opens at the first failure for 10 s, and lets calls wait for 3 s. */
function waits(options: BreakerConfig = {}, policy: DependencyConfig = {}) {
  return guarded(
    { consecutive: 1, failureRate: false, openFor: '10s', whenOpen: { wait: '3s' }, ...options },
    policy,
  );
}

describe('the wait for an open breaker', () => {
  test('ends when it is over, whenever it began', async () => {
    const { clock, dep } = waits();
    await dep.settle(bad);
    await clock.advance(1000);
    const waiting = dep.settle(good);
    let at = -1;
    void waiting.then(() => {
      at = clock.now();
    });
    await clock.advance(9000);
    expect(at).toBe(4000);
    expect(errorOf(await waiting)).toMatchObject({ code: 'ERR_BREAKER_OPEN', retryAfterMs: 6000 });
  });

  test('leaves an attempt its least time before the deadline', async () => {
    const { clock, dep } = waits();
    await dep.settle(bad);
    const waiting = dep.settle(good, { deadline: '1s' });
    let at = -1;
    void waiting.then(() => {
      at = clock.now();
    });
    await clock.advance(3000);
    expect(at).toBe(950);
    expect(codesOf([await waiting])).toEqual(['ERR_BREAKER_OPEN']);
    expect(clock.pending).toBe(0);
  });

  test('is not begun while the spillway drains', async () => {
    const { clock, dep, spillway } = waits();
    await dep.settle(bad);
    const running = new Held();
    dep.breaker.forceClose();
    const first = dep.settle(running.work);
    const drained = spillway.drain({ within: '5s' });
    await clock.advance(0);
    dep.breaker.forceOpen();
    let refused: Outcome<unknown> | undefined;
    void dep.settle(good).then((outcome) => {
      refused = outcome;
    });
    await clock.advance(0);
    expect(refused?.error).toMatchObject({ code: 'ERR_BREAKER_OPEN' });
    running.succeed(0);
    await first;
    await clock.advance(5000);
    await drained;
  });

  test('ends at once when the spillway drains, or is closed', async () => {
    for (const end of ['drain', 'close'] as const) {
      const { clock, dep, spillway } = waits();
      await dep.settle(bad);
      const waiting = dep.settle(good);
      await clock.advance(1000);
      if (end === 'close') spillway.close();
      else void spillway.drain({ within: '5s' });
      expect(codesOf([await waiting])).toEqual(['ERR_BREAKER_OPEN']);
      expect(clock.now()).toBe(1000);
      await clock.advance(100);
      expect(clock.pending).toBe(0);
    }
  });

  test('is not begun where calls are refused: the breaker answers in the same turn', async () => {
    const { clock, dep } = waits({ whenOpen: 'refuse', observes: 'operations' });
    await dep.settle(bad);
    expect(codesOf([await dep.settle(good)])).toEqual(['ERR_BREAKER_OPEN']);
    expect(clock.pending).toBe(0);
  });
});

describe('a call that waits while a probe runs', () => {
  test.each(['attempts', 'operations'] as const)(
    'has its place as soon as that is given back (observes: %s)',
    async (observes) => {
      const { clock, dep } = waits({ observes, probes: 1, openFor: '1s' }, { attempt: { timeout: '5s' } });
      await dep.settle(bad);
      await clock.advance(1000);
      const controller = new AbortController();
      const probe = dep.settle(new Held().work, { signal: controller.signal });
      await clock.advance(10);
      const waiting = dep.settle(good);
      let at = -1;
      void waiting.then(() => {
        at = clock.now();
      });
      await clock.advance(90);
      controller.abort(new Error('gone'));
      await clock.advance(0);
      expect(at).toBe(1100);
      expect(codesOf([await waiting])).toEqual(['ok']);
      await probe;
      expect(clock.pending).toBe(0);
    },
  );
});

describe('a waiting call that brings too little time for a probe', () => {
  test('asks again once the place was free for an open time, and not all the while', async () => {
    const { clock, dep, of } = waits({ probes: 1, openFor: '5s' });
    await dep.settle(bad);
    await clock.advance(9000);
    const arm = jest.spyOn(clock, 'arm');
    const inVain = dep.settle(good, { deadline: '1s' });
    const waiting = dep.settle(good, { deadline: '1.4s' });
    let at = -1;
    void waiting.then(() => {
      at = clock.now();
    });
    await clock.advance(3000);
    expect(at).toBe(10_000);
    expect(codesOf([await inVain, await waiting])).toEqual(['ERR_BREAKER_OPEN', 'ok']);
    expect(of('breaker.refused')).toMatchObject([{ at: 9950, state: 'half-open' }]);
    // one wait each, and the probe's own time
    expect(arm).toHaveBeenCalledTimes(3);
  });
});

describe('a refusal', () => {
  test('is none of a call that waited and got through, nor of one that was cancelled meanwhile', async () => {
    const { clock, dep, of } = waits({ openFor: '1s' });
    await dep.settle(bad);
    const controller = new AbortController();
    const cancelled = dep.settle(good, { signal: controller.signal });
    const waiting = [dep.settle(good), dep.settle(good)];
    await clock.advance(500);
    controller.abort(new Error('gone'));
    await clock.advance(500);
    expect(codesOf(await Promise.all(waiting))).toEqual(['ok', 'ok']);
    await cancelled;
    expect(of('breaker.refused')).toEqual([]);
  });

  test('of a call that waited in vain is told once, when it ends', async () => {
    const { clock, dep, of } = waits();
    await dep.settle(bad);
    const waiting = dep.settle(good);
    await clock.advance(1000);
    dep.breaker.forceOpen();
    await clock.advance(2000);
    expect(codesOf([await waiting])).toEqual(['ERR_BREAKER_OPEN']);
    expect(of('breaker.refused')).toMatchObject([{ at: 3000, observed: false }]);
  });
});

describe('an operation that is cancelled while it waits as a whole', () => {
  test('ends at once with the reason, and counts as cancelled', async () => {
    const { clock, dep, now } = waits({ observes: 'operations' });
    await dep.settle(bad);
    const controller = new AbortController();
    const reason = new Error('gone');
    const waiting = dep.settle(good, { signal: controller.signal });
    await clock.advance(100);
    controller.abort(reason);
    expect((await waiting).error).toBe(reason);
    expect(now()).toMatchObject({ inFlight: 0, operations: { failed: 1, cancelled: 1, refused: 0 } });
    expect(clock.pending).toBe(0);
  });

  test('gives back the probe’s place that it got in that very turn', async () => {
    const { clock, dep, spillway } = waits({ observes: 'operations', openFor: '1s' });
    await dep.settle(bad);
    const controller = new AbortController();
    const reason = new Error('gone');
    spillway.subscribe((event) => {
      if (event.type === 'breaker.transition' && event.to === 'half-open') controller.abort(reason);
    });
    let ran = false;
    const work = async () => {
      ran = true;
    };
    const waiting = dep.settle(work, { signal: controller.signal });
    await clock.advance(1000);
    expect((await waiting).error).toBe(reason);
    expect([ran, dep.breaker.state]).toEqual([false, 'half-open']);
    expect(codesOf([await dep.settle(good)])).toEqual(['ok']);
    expect(dep.breaker.state).toBe('closed');
  });
});
