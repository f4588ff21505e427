import { describe, expect, test } from '@jest/globals';
import type { AttemptContext, DependencyConfig } from '../../src/index.js';
import { bad, codesOf, errorOf, good, Held, hang, single } from './support/single.js';

const LONG = { attempt: { timeout: '5s' }, deadline: '10s' } as const;

/** A bulkhead alone, or with what `policy` adds. */
function bulkhead(options: DependencyConfig['bulkhead'] & object, policy: DependencyConfig = {}) {
  return single({ retry: false, breaker: false, ...LONG, ...policy, bulkhead: options });
}

/** Work that obeys its signal. */
const obedient = ({ signal }: AttemptContext) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('a unit of concurrency', () => {
  test('C-033 comes back from every end, once', async () => {
    const { clock, dep, now } = bulkhead(
      { concurrent: 10, queue: 0 },
      { attempt: { timeout: '100ms' }, breaker: { consecutive: 2, openFor: '1m' } },
    );
    const late = new Held();
    const { signal, abort } = abortable();
    const calls = [
      dep.settle(good),
      dep.settle(bad),
      dep.settle(() => {
        throw new Error('at once');
      }),
      dep.settle(late.work),
      dep.settle(obedient, { signal }),
    ];
    abort();
    await clock.advanceTo(100);
    await Promise.all(calls);
    expect(dep.breaker.state).toBe('open');
    expect(codesOf([await dep.settle(good)])).toEqual(['ERR_BREAKER_OPEN']);
    expect(now().bulkhead).toMatchObject({ inUse: 1, detached: 1 });
    late.succeed(0);
    await clock.advance(0);
    expect(now().bulkhead).toMatchObject({ inUse: 0, queued: 0, detached: 0, limit: 10 });

    dep.breaker.disable();
    const ten = Array.from({ length: 11 }, () => dep.settle(hang));
    expect(now().bulkhead).toMatchObject({ inUse: 10 });
    expect(codesOf([await (ten[10] as (typeof ten)[0])])).toEqual(['ERR_BULKHEAD_FULL']);
  }, 30_000);

  test('C-035 is given back once, however often its work says that it has ended', async () => {
    const { clock, dep, now, spillway } = bulkhead({ concurrent: 2, queue: 1000, wait: '5s' });
    spillway.subscribe(({ type }) => {
      if (type === 'attempt.end' || type === 'operation.end') throw new Error('a broken observer');
    });
    let running = 0;
    let most = 0;
    const seen: number[] = [];
    const untidy = () => {
      running++;
      most = Math.max(most, running);
      const ends = (resolve: (value: string) => void, reject: (error: Error) => void) => {
        queueMicrotask(() => {
          seen.push(now().bulkhead?.inUse ?? -1);
          reject(new Error('error'));
          resolve('close');
          reject(new Error('end'));
          running--;
        });
      };
      // biome-ignore lint/suspicious/noThenProperty: a promise of somebody else's making, and not a good one
      return { then: ends } as unknown as Promise<string>;
    };
    const calls = Array.from({ length: 1000 }, () => dep.settle(untidy));
    await clock.advance(0);
    const outcomes = await Promise.all(calls);
    expect(outcomes.every(({ error }) => (error as Error).message.includes('its call threw'))).toBe(true);
    expect([most, Math.max(...seen)]).toEqual([2, 2]);
    expect(Math.min(...seen)).toBeGreaterThan(0);
    expect(now()).toMatchObject({ inFlight: 0, bulkhead: { inUse: 0, queued: 0 } });
  }, 30_000);

  test('C-036 goes to the next in line when a running and a waiting call are aborted together', async () => {
    const { clock, dep, now } = bulkhead({ concurrent: 1, queue: 5, wait: '5s' });
    const { signal, abort } = abortable();
    const upstream = new Held();
    const a = dep.settle(obedient, { signal });
    const b = dep.settle(upstream.work, { signal });
    const c = dep.settle(upstream.work);
    await clock.advance(0);
    expect(now().bulkhead).toMatchObject({ inUse: 1, queued: 2 });
    abort();
    for (const { error } of await Promise.all([a, b])) expect(error).toBe(signal.reason);
    await clock.advance(0);
    expect(now().bulkhead).toMatchObject({ inUse: 1, queued: 0 });
    expect(upstream.calls).toHaveLength(1);
    upstream.succeed(0);
    expect(codesOf([await c])).toEqual(['ok']);
    expect(now().bulkhead).toMatchObject({ inUse: 0, queued: 0 });
  }, 30_000);

  test('C-037 is not waited for longer than the deadline and the signal of the call allow', async () => {
    const { clock, dep, now } = bulkhead({ concurrent: 1, queue: 5, wait: '5s' });
    void dep.settle(hang);
    const upstream = new Held();
    const { signal, abort } = abortable();
    const ends: (readonly [call: string, at: number])[] = [];
    const timed = dep
      .settle(upstream.work, { deadline: '200ms' })
      .finally(() => ends.push(['timed', clock.now()]));
    const aborted = dep.settle(upstream.work, { signal }).finally(() => ends.push(['aborted', clock.now()]));
    await clock.advanceTo(50);
    abort();
    await clock.advanceTo(1000);
    expect(ends).toEqual([
      ['aborted', 50],
      ['timed', 200],
    ]);
    expect(errorOf(await timed)).toMatchObject({ code: 'ERR_DEADLINE_EXCEEDED', sent: 'no' });
    expect((await aborted).error).toBe(signal.reason);
    expect(upstream.calls).toEqual([]);
    expect(now().bulkhead).toMatchObject({ inUse: 1, queued: 0 });
  }, 30_000);

  test('C-038 is held by work that ignores its abort, for as long as the grace lasts', async () => {
    const { clock, dep, now, spillway } = bulkhead(
      { concurrent: 2, queue: 5, wait: '500ms' },
      { attempt: { timeout: '100ms' } },
    );
    const answeredAt: number[] = [];
    const stuck = new Held();
    const hung = [0, 1].map(() => dep.settle(stuck.work).finally(() => answeredAt.push(clock.now())));
    await clock.advanceTo(100);
    for (const outcome of await Promise.all(hung)) {
      expect(errorOf(outcome).cause).toMatchObject({ code: 'ERR_ATTEMPT_TIMEOUT' });
    }
    expect(answeredAt).toEqual([100, 100]);
    expect(now().bulkhead).toMatchObject({ inUse: 2, detached: 2 });
    expect(spillway.health()).toEqual({
      status: 'degraded',
      reasons: ['dep: 2 of 2 units held by work that ignores its abort'],
    });
    const third = dep.settle(good);
    await clock.advanceTo(599);
    expect(now().bulkhead).toMatchObject({ queued: 1 });
    await clock.advanceTo(600);
    expect(codesOf([await third])).toEqual(['ERR_BULKHEAD_FULL']);

    await clock.advanceTo(10_000);
    stuck.succeed(0);
    await clock.advance(0);
    expect(now().bulkhead).toMatchObject({ inUse: 1, detached: 1 });
    await clock.advanceTo(30_099);
    expect(now().bulkhead).toMatchObject({ inUse: 1, detached: 1 });
    await clock.advanceTo(30_100);
    expect(now().bulkhead).toMatchObject({ inUse: 0, detached: 0 });
    await expect(dep.call(good)).resolves.toBe('fine');
    stuck.succeed(1);
    await clock.advance(0);
    expect(now().bulkhead).toMatchObject({ inUse: 0, detached: 0 });
  }, 30_000);
});

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error('enough')) };
}
