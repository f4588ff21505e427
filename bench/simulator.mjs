// How fast worlds run: operations a second through the standard policy, memory over a million of them, and ten
// thousand virtual seconds of the preset `slow`.
//   node bench/simulator.mjs [operations, default 1000000]
import { PRESETS, simulate } from '../packages/simulator/dist/index.js';

const OPERATIONS = Number(process.argv[2] ?? 1_000_000);
/** As many as one instance's standard bulkhead of 50 carries at 200 ms each. */
const RATE = 190;

/** 80 % answered at once, 15 % retried, 5 % refused; every option of the policies at its default. */
const mixed = {
  name: 'mixed',
  duration: (OPERATIONS / RATE) * 1000,
  services: {
    shop: { latency: 0, calls: ['quotes'], spillway: { dependencies: { quotes: {} } } },
    press: { latency: 0, calls: ['news'], spillway: { dependencies: { news: {} } } },
    quotes: { latency: '200ms', faults: [{ kind: 'status', share: 0.17 }] },
    news: { latency: '200ms', faults: [{ kind: 'status' }] },
  },
  traffic: {
    buyers: { to: 'shop', arrivals: { rate: RATE * 0.95 } },
    readers: { to: 'press', arrivals: { rate: RATE * 0.05 } },
  },
};

async function measured(scenario, onProgress) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const report = await simulate(scenario, { onProgress });
  const { user, system } = process.cpuUsage(cpu);
  return { report, wallMs: performance.now() - start, cpuMs: (user + system) / 1000 };
}

function perSecond(count, ms) {
  return `${Math.round((count * 1000) / ms).toLocaleString('en')}/s`;
}

await measured({ ...mixed, duration: 60_000 });
globalThis.gc?.();
const heaps = [];
let quarter = 0;
const { report, wallMs, cpuMs } = await measured(mixed, ({ nowMs, endMs }) => {
  if (nowMs / endMs < quarter / 4) return;
  quarter++;
  globalThis.gc?.();
  heaps.push(Math.round(process.memoryUsage().heapUsed / 1e6));
});
const { only } = report.variants;
const quotes = only.dependencies['shop.quotes'];
const refused = only.dependencies['press.news'].outcomes.refused;
const share = (count) => `${((100 * count) / only.operations).toFixed(1)} %`;
console.log(
  `mixed: ${only.operations.toLocaleString('en')} operations, ${share(quotes.retries)} retried, ${share(refused)} refused`,
);
console.log(
  `  ${perSecond(only.operations, wallMs)} by the clock on the wall, ${perSecond(only.operations, cpuMs)} of processor time`,
);
console.log(
  `  heap at each quarter, MB${globalThis.gc === undefined ? ' (run with --expose-gc for what is live)' : ''}: ${heaps.join(' ')}`,
);

const long = { ...PRESETS.slow, duration: '10000s', variants: { standard: PRESETS.slow.variants.standard } };
const slow = await measured({ ...long, variants: { standard: { ...long.variants.standard, expect: [] } } });
console.log(
  `slow: 10,000 virtual seconds in ${(slow.wallMs / 1000).toFixed(2)} s (${(slow.cpuMs / 1000).toFixed(2)} s of processor time)`,
);
