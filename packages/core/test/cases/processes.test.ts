import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ChildEnd, Children } from './support/child.js';

const CALLS = process.env['NIGHTLY'] ? 100_000 : 30_000;

let children: Children;

beforeAll(() => {
  children = new Children();
});

afterAll(() => children.remove());

/** What a process told, which ended by itself and said nothing on stderr. */
async function told(name: string, script: string): Promise<unknown[]> {
  const { code, told: lines, err }: ChildEnd = await children.run(name, script);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return lines;
}

describe('a process', () => {
  test('C-024 ends by itself after a breaker opened, with or without close', async () => {
    const script = (last: string) => `
      const spillway = createSpillway({ dependencies: { dep: { retry: false, breaker: { consecutive: 1, openFor: '5m', maxOpenFor: '5m' } } } });
      const dep = spillway.dependency('dep');
      await dep.settle(async () => { throw new Error('down'); });
      tell(dep.breaker.state);
      const endsAt = performance.now() + 3000;
      process.on('exit', () => tell(performance.now() < endsAt));
      ${last}`;
    expect(await told('open', script(''))).toEqual(['open', true]);
    const closed = script(`
      spillway.close();
      spillway.close();
      await new Promise(setImmediate);
      tell(process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap' && name !== 'TTYWrap'));
      tell(await dep.call(async () => 1).catch(({ code, message }) => [code, message.includes('close()')]));`);
    expect(await told('closed', closed)).toEqual(['open', [], ['ERR_CLOSED', true], true]);
  }, 30_000);

  test('C-027 leaves no listener on a signal that many calls share, whatever their ends', async () => {
    const lines = await told(
      'listeners',
      `
      import { getEventListeners } from 'node:events';
      const spillway = createSpillway({ dependencies: { dep: {
        attempt: { timeout: '15ms', min: 0 },
        retry: { attempts: 3, backoff: { base: 1, cap: 1 }, budget: false },
        breaker: { minCalls: 150, failureRate: 0.5, window: '1m' },
        bulkhead: { concurrent: 10, queue: 15, wait: '5s' },
      } } });
      const ends = {};
      spillway.subscribe((event) => {
        const end = event.type === 'operation.end' ? event.outcome : event.type === 'attempt.end' ? event.kind : event.type;
        ends[end] = (ends[end] ?? 0) + 1;
      });
      const dep = spillway.dependency('dep');
      const { signal } = new AbortController();
      const works = [
        async () => 1,
        async () => { throw new Error('down'); },
        ({ signal: own }) => new Promise((_, reject) => own.addEventListener('abort', () => reject(own.reason))),
      ];
      for (let i = 0; i < 200; i += 50) {
        const calls = Array.from({ length: 50 }, (_, k) => dep.settle(works[(i + k) % 3], { signal, idempotent: true }));
        await Promise.all(calls);
      }
      tell(getEventListeners(signal, 'abort').length);
      tell(warnings);
      tell(ends);
      spillway.close();`,
    );
    const [left, warnings, ends] = lines as [number, string[], Record<string, number>];
    expect([left, warnings]).toEqual([0, []]);
    for (const end of ['success', 'thrown', 'timeout', 'refused', 'bulkhead.queued']) {
      expect(ends[end]).toBeGreaterThan(0);
    }
  }, 30_000);

  test('C-028 keeps nothing of many calls on a signal, and no collection loses a timeout', async () => {
    const lines = await told(
      'signals',
      `
      const spillway = createSpillway({ dependencies: { dep: { retry: false, attempt: { timeout: '500ms' } } } });
      const dep = spillway.dependency('dep');
      const { signal } = new AbortController();
      const work = async ({ signal: own }) => own.aborted;
      for (let i = 0; i < 10_000; i++) await dep.call(work, { signal });
      const before = base();
      for (let i = 0; i < ${CALLS}; i++) await dep.call(work, { signal });
      tell(base() - before);
      const started = performance.now();
      const hung = dep.call(({ signal: own }) => { void own; return hang(); });
      await delay(100);
      gc();
      tell(await hung.catch(({ cause }) => cause.code));
      const took = performance.now() - started;
      tell(took >= 499 && took < 5000);`,
    );
    const [grown, code, inTime] = lines;
    expect(grown).toBeLessThan(1_000_000);
    expect([code, inTime]).toEqual(['ERR_ATTEMPT_TIMEOUT', true]);
  }, 30_000);

  test('C-031 keeps neither timers nor memory of quick calls with a far deadline', async () => {
    const lines = await told(
      'far-deadline',
      `
      const spillway = createSpillway({ dependencies: { dep: { deadline: 1_000_000, attempt: { timeout: false } } } });
      const dep = spillway.dependency('dep');
      const work = async () => 1;
      for (let i = 0; i < 5000; i++) await dep.call(work);
      const before = base();
      for (let i = 0; i < 10_000; i++) await dep.call(work);
      tell(base() - before);
      await new Promise(setImmediate);
      tell(process.getActiveResourcesInfo().includes('Timeout'));`,
    );
    expect(lines[0]).toBeLessThan(500_000);
    expect(lines[1]).toBe(false);
  }, 30_000);

  test('C-032 never takes a long time for a short one', async () => {
    const lines = await told(
      'long-times',
      `
      import { Timer, after } from './src/time/clock.js';
      import { backoffDelay } from './src/algorithms/backoff.js';
      const backoff = { baseMs: 100, factor: 2, capMs: Number.POSITIVE_INFINITY, jitter: 'none' };
      const month = 30 * 86_400_000;
      const spillway = createSpillway({ dependencies: {
        slow: { deadline: 9_999_999_000, attempt: { timeout: 9_999_999_000 }, retry: { attempts: 2, maxRetryAfter: '30s' } },
        dep: { retry: false, breaker: { consecutive: 1, openFor: month, maxOpenFor: month, jitter: 0 } },
      } });
      const fired = [];
      for (const ms of [backoffDelay(backoff, 40, Math.random, 0), month, 9_999_999_000, 2 ** 31])
        after(systemClock(), ms, () => fired.push(ms), false);
      const busy = spillway.dependency('slow').settle(() => delay(60, 'fine'));
      const throttled = () => new Response(null, { status: 429, headers: { 'retry-after': '2592000' } });
      const gaveUp = await spillway.dependency('slow').settle(throttled, { idempotent: true });
      tell([gaveUp.error.stopped, gaveUp.error.retryAfterMs]);
      await spillway.dependency('dep').settle(async () => { throw new Error('down'); });
      tell((await busy).value);
      const refused = await spillway.dependency('dep').settle(async () => 1);
      tell([refused.error.code, Math.round(refused.error.retryAfterMs / 86_400_000)]);
      tell([fired, warnings]);`,
    );
    const DAY_MS = 86_400_000;
    expect(lines).toEqual([['retry-after', 30 * DAY_MS], 'fine', ['ERR_BREAKER_OPEN', 30], [[], []]]);
  }, 30_000);
});
