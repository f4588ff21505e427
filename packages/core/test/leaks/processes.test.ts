import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Compiled } from './child.js';

let compiled: Compiled;

beforeAll(() => {
  compiled = new Compiled();
}, 60_000);

afterAll(() => compiled.remove());

/** Both ways of running a policy. */
const LINKS = ['fused', 'layered'] as const;

const linked = (link: (typeof LINKS)[number]) => (link === 'layered' ? `{ link: 'layered' }` : '{}');

describe.each(LINKS)('a process with %s calls', (link) => {
  test('hears no warning and keeps no listener of 200 calls of three attempts on one signal', async () => {
    const script = `
      const spillway = createSpillway({ dependencies: { dep: {
        attempt: { timeout: '2s' },
        retry: { attempts: 3, backoff: { base: 1, cap: 1 }, budget: false },
        breaker: false,
        bulkhead: { concurrent: 50, queue: 0 },
      } } }, ${linked(link)});
      const dep = spillway.dependency('dep');
      const { signal } = new AbortController();
      const most = { listeners: 0, running: 0 };
      let made = 0;
      const look = () => { most.listeners = Math.max(most.listeners, getEventListeners(signal, 'abort').length); };
      const work = async () => {
        made++;
        most.running = Math.max(most.running, spillway.snapshot().dependencies[0].bulkhead.inUse);
        look();
        await nextTurn();
        throw new Error('down');
      };
      for (let i = 0; i < 200; i += 50) {
        await Promise.all(Array.from({ length: 50 }, () => dep.settle(work, { signal, idempotent: true })));
      }
      await nextTurn();
      tell([made, most, getEventListeners(signal, 'abort').length]);`;
    const [[made, most, left]] = (await compiled.run(`listeners-${link}`, script)) as [
      [number, object, number],
    ];
    expect([made, left]).toEqual([600, 0]);
    expect(most).toEqual({ listeners: 1, running: 50 });
  }, 60_000);

  test('ends by itself after a breaker opened, retries waited and calls were queued', async () => {
    const script = `
      const spillway = createSpillway({ dependencies: { dep: {
        retry: { attempts: 3, backoff: { base: 5, cap: 10 } },
        breaker: { consecutive: 4, openFor: '5m', maxOpenFor: '5m' },
        bulkhead: { concurrent: 1, queue: 10, wait: '5s' },
      } } }, ${linked(link)});
      const dep = spillway.dependency('dep');
      const bad = async () => { await nextTurn(); throw new Error('down'); };
      const calls = Array.from({ length: 8 }, () => dep.settle(bad, { idempotent: true }));
      const codes = (await Promise.all(calls)).map(({ error }) => error.code);
      tell([dep.breaker.state, [...new Set(codes)].sort()]);
      const endsAt = performance.now() + 3000;
      process.on('exit', () => tell(performance.now() < endsAt));`;
    const told = await compiled.run(`end-${link}`, script);
    expect(told).toEqual([['open', ['ERR_BREAKER_OPEN', 'ERR_UPSTREAM']], true]);
  }, 60_000);

  test('lives until a hung call has been given up, and no longer', async () => {
    const script = `
      const spillway = createSpillway({ dependencies: { dep: {
        attempt: { timeout: '300ms' }, retry: false, bulkhead: { concurrent: 1, queue: 1, wait: '10s', detachAfter: '5m' },
      } } }, ${linked(link)});
      const dep = spillway.dependency('dep');
      const startedAt = performance.now();
      const ends = [];
      const end = (error) => { ends.push(error.cause?.code ?? error.code); };
      dep.call(hang).catch(end);
      dep.call(hang, { deadline: '200ms' }).catch(end);
      process.on('exit', () => {
        const took = performance.now() - startedAt;
        tell([ends, took >= 299, took < 5000]);
      });`;
    const told = await compiled.run(`hung-${link}`, script);
    expect(told).toEqual([[['ERR_DEADLINE_EXCEEDED', 'ERR_ATTEMPT_TIMEOUT'], true, true]]);
  }, 60_000);
});
