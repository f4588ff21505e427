import { describe, expect, test } from '@jest/globals';
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

  test('is not begun where calls are refused: the breaker answers in the same turn', async () => {
    const { clock, dep } = waits({ whenOpen: 'refuse', observes: 'operations' });
    await dep.settle(bad);
    expect(codesOf([await dep.settle(good)])).toEqual(['ERR_BREAKER_OPEN']);
    expect(clock.pending).toBe(0);
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
