import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Compiled } from './child.js';

const OPERATIONS = process.env['NIGHTLY'] ? 1_000_000 : 20_000;
const KEYS = process.env['NIGHTLY'] ? 100_000 : 20_000;
const LONG_MS = 900_000;

let compiled: Compiled;

beforeAll(() => {
  compiled = new Compiled();
}, 60_000);

afterAll(() => compiled.remove());

interface Left {
  readonly inFlight: number;
  readonly timers: number;
  readonly listeners: number;
  readonly units: number;
  readonly queued: number;
  readonly detached: number;
  readonly retrying: number;
}

const NOTHING: Left = { inFlight: 0, timers: 0, listeners: 0, units: 0, queued: 0, detached: 0, retrying: 0 };

/** Operations of every ending, a hundred at a time, on one signal and one parent that outlive them all. */
const ENDINGS = (operations: number, link: string) => `
  const clock = new VirtualClock();
  const random = seededRandom(7);
  const spillway = createSpillway({ dependencies: { dep: {
    deadline: 400,
    attempt: { timeout: 50, min: 5 },
    retry: { attempts: 3, backoff: { base: 10, cap: 20 }, budget: { ratio: 0.1, window: 1000, minPerSecond: 1 } },
    breaker: { window: 100, minCalls: 20, failureRate: 0.5, consecutive: false, openFor: 20, maxOpenFor: 40, probes: 2 },
    bulkhead: { concurrent: 30, queue: 10, wait: 15, detachAfter: 60 },
    fallback: { run: () => (random() < 0.5 ? 'mended' : hang()), timeout: 30 },
  } } }, { clock, random, ${link} });
  const dep = spillway.dependency('dep');
  const ends = {};
  const count = (end) => { ends[end] = (ends[end] ?? 0) + 1; };
  const { signal } = new AbortController();
  const parent = new Call(clock, undefined, Infinity);
  const until = (ms) => new Promise((resolve) => { late.push([clock.now() + ms, resolve]); });
  let late = [];
  const obeys = ({ signal: own }) => new Promise((_, reject) => {
    own.addEventListener('abort', () => reject(own.reason), { once: true });
  });
  const works = [
    () => 'now', async () => 'soon', () => until(30), () => until(120), obeys, hang,
    async () => { throw new Error('down'); },
    () => until(20).then(() => { throw new Error('down'); }),
    async () => { throw new TypeError('bug'); },
    () => 'now', async () => 'soon', () => until(30),
  ];
  const one = async (work) => {
    const controller = random() < 0.2 ? new AbortController() : undefined;
    const own = random() < 0.3 ? new Call(clock, parent, clock.now() + 300 * random()) : undefined;
    const options = { idempotent: random() < 0.7, signal: controller?.signal ?? signal, parent: own ?? parent };
    const done = dep.settle(work, random() < 0.6 ? { ...options, fallback: false } : options);
    if (controller !== undefined) until(40 * random()).then(() => controller.abort(new Error('gone')));
    const { ok, value, error } = await done;
    own?.end();
    count(ok ? (value === 'mended' ? 'mended' : 'answered') : (error.code ?? error.message));
    count(error?.stopped ?? 'went');
  };
  const batch = async (size) => {
    let begun = 0;
    let open = size;
    while (open > 0 || late.length > 0) {
      for (const next = begun + 20; begun < Math.min(next, size); begun++) {
        one(works[Math.floor(random() * works.length)]).then(() => { open--; });
      }
      await nextTurn();
      clock.tick(5);
      const now = clock.now();
      const due = late.filter(([at]) => at <= now);
      late = late.filter(([at]) => at > now);
      for (const [, resolve] of due) resolve('late');
    }
  };
  const run = async (operations) => { for (let i = 0; i < operations; i += 100) await batch(100); };
  await run(${operations} / 2);
  const half = heap();
  await run(${operations} / 2);
  await nextTurn();
  clock.tick(1000);
  await nextTurn();
  const grown = heap() - half;
  const { inFlight, bulkhead, budget, operations } = spillway.snapshot().dependencies[0];
  tell({
    inFlight, timers: clock.pending, listeners: getEventListeners(signal, 'abort').length + parent.listenerCount,
    units: bulkhead.inUse, queued: bulkhead.queued, detached: bulkhead.detached, retrying: budget.retrying,
  });
  tell(grown);
  tell(Object.values(operations).reduce((sum, each) => sum + each, 0));
  tell(Object.keys(ends).sort());
`;

describe('after operations of random endings', () => {
  test.each([
    ['fused', ''],
    ['layered', "link: 'layered'"],
  ])(
    'nothing is left of them: %s',
    async (name, link) => {
      const operations = name === 'fused' ? OPERATIONS : OPERATIONS / 2;
      const told = await compiled.run(`endings-${name}`, ENDINGS(operations, link));
      const [left, grown, made, ends] = told as [Left, number, number, string[]];
      expect(left).toEqual(NOTHING);
      expect(grown).toBeLessThan(1_000_000);
      expect(made).toBe(operations);
      expect(ends).toEqual(
        expect.arrayContaining([
          'ERR_BREAKER_OPEN',
          'ERR_BULKHEAD_FULL',
          'ERR_DEADLINE_EXCEEDED',
          'ERR_UPSTREAM',
          'answered',
          'attempts',
          'budget',
          'bug',
          'deadline',
          'gone',
          'mended',
          'not-idempotent',
        ]),
      );
    },
    LONG_MS,
  );
});

describe('breakers by key', () => {
  test(
    'stay within their cap, and their memory with them',
    async () => {
      const script = `
      const clock = new VirtualClock();
      const spillway = createSpillway({ dependencies: { dep: {
        retry: false, breaker: { scope: ({ operation }) => operation, consecutive: 1 },
      } } }, { clock, random: () => 0.5 });
      const dep = spillway.dependency('dep');
      const good = () => 1;
      const bad = () => { throw new Error('down'); };
      const run = async (from, to) => {
        for (let i = from; i < to; i++) {
          await dep.settle(i % 10 === 0 ? bad : good, { operation: 'key-' + i, fallback: false });
          if (i % 100 === 0) { clock.tick(10); await nextTurn(); }
        }
      };
      await run(0, 5000);
      const base = heap();
      await run(5000, ${KEYS});
      tell(spillway.snapshot().dependencies[0].breakers.length);
      tell(heap() - base);`;
      const [breakers, grown] = (await compiled.run('keys', script)) as [number, number];
      expect(breakers).toBe(1000);
      expect(grown).toBeLessThan(1_000_000);
    },
    LONG_MS,
  );
});
