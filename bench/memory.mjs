// Memory of dependencies with their policies, and of operations that wait: for their answer, in the bulkhead's queue, and
// between two attempts.
//   node --expose-gc bench/memory.mjs [how many of each, default 100000]
import { createSpillway } from '@spillway/core';
import { table } from './support/statistics.mjs';

const MANY = Number(process.argv[2] ?? 100_000);
const PER_SPILLWAY = 1000;
const kept = [];

function heap() {
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

const NAMES = Array.from({ length: PER_SPILLWAY }, (_, i) => `dependency-${i}`);
const MANY_NAMED = Object.fromEntries(NAMES.map((name) => [name, { baseUrl: 'http://127.0.0.1:9' }]));

async function dependencies(isUsed) {
  const before = heap();
  for (let made = 0; made < MANY; made += PER_SPILLWAY) {
    const spillway = createSpillway({ service: 'bench', strict: false, dependencies: MANY_NAMED });
    kept.push(spillway);
    for (const name of isUsed ? NAMES : []) await spillway.dependency(name).call(async () => 1);
  }
  const each = (heap() - before) / MANY;
  kept.length = 0;
  return each;
}

const LONG = { deadline: '600s', attempt: { timeout: '500s' }, breaker: false };
const WAITING = {
  answer: { ...LONG, bulkhead: { concurrent: MANY, queue: 0 } },
  queue: { ...LONG, bulkhead: { concurrent: 1, queue: MANY, wait: '500s' } },
  retry: {
    ...LONG,
    bulkhead: { concurrent: MANY, queue: 0 },
    retry: { budget: false, backoff: { base: '400s', cap: '400s', jitter: 'none' } },
  },
};

async function waiting(name, work) {
  const dep = spillway.dependency(name);
  const operations = new Array(MANY).fill(undefined);
  const before = heap();
  for (let i = 0; i < MANY; i++) operations[i] = dep.settle(work, { idempotent: true });
  await new Promise((resolve) => setImmediate(resolve));
  const each = (heap() - before) / MANY;
  kept.push(operations);
  return each;
}

const rows = [
  ['a dependency, not yet called', await dependencies(false)],
  ['a dependency, called once', await dependencies(true)],
];
const spillway = createSpillway({ service: 'bench', strict: false, dependencies: WAITING });
const never = () => new Promise(() => undefined);
// one error for all, so that the error's own memory is not counted as ours
const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
rows.push(['an operation that waits for its answer', await waiting('answer', never)]);
rows.push(['an operation in the queue of its bulkhead', await waiting('queue', never)]);
rows.push(['an operation that sleeps before its retry', await waiting('retry', () => Promise.reject(reset))]);

console.log(`Heap of each, measured over ${MANY.toLocaleString('en')} of them:\n`);
console.log(
  table(
    ['', 'bytes'],
    rows.map(([what, bytes]) => [what, Math.round(bytes)]),
  ),
);
process.exit(rows.some(([what, bytes]) => bytes > (what.includes('dependency') ? 4096 : 1024)) ? 1 : 0);
