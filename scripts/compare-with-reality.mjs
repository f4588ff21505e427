// Runs the storefront's outage with real processes and sockets, simulates the same, and compares the medians: attempts
// within 10 %, goodput and the 99th percentile of answered requests within 20 %. Needs a build, and a machine that has
// nothing else to do.
//   node scripts/compare-with-reality.mjs [runs, default 5]
import {
  OUTAGE_ENDS_MS,
  OUTAGE_STARTS_MS,
  QUOTES_POLICY,
  RATE_PER_SECOND,
  RUN_MS,
} from '../examples/storefront/dist/scenario.js';
import { simulate } from '../packages/simulator/dist/index.js';
import { realRun } from './reality/real-run.mjs';

const RUNS = Number(process.argv[2] ?? 5);
const TOLERANCE = { attempts: 0.1, goodput: 0.2, p99Ms: 0.2 };

// one after another: two at once would be slower than one, and the comparison would be with that
const real = [];
for (let run = 0; run < RUNS; run++) real.push(await realRun({ rate: RATE_PER_SECOND, runMs: RUN_MS }));
const simulated = [];
for (const [run, { answers }] of real.entries())
  simulated.push(await simulatedRun(run + 1, latencyOf(answers)));

const reality = mediansOf(real.map(figuresOf));
const simulation = mediansOf(simulated);
for (const [name, tolerance] of Object.entries(TOLERANCE)) {
  const off = Math.abs(simulation[name] / reality[name] - 1);
  const holds = off <= tolerance;
  console.log(
    `${name.padEnd(9)} real ${reality[name].toFixed(2)}, simulated ${simulation[name].toFixed(2)}: ${(100 * off).toFixed(1)} % apart, ${holds ? 'within' : 'NOT within'} ${100 * tolerance} %`,
  );
  if (!holds) process.exitCode = 1;
}

/** A request's whole way while quotes was well, the sockets included: what the simulation cannot know by itself. */
function latencyOf(answers) {
  const well = answers
    .filter(({ sentAt, priced }) => sentAt < OUTAGE_STARTS_MS - 500 && priced === true)
    .map(({ ms }) => ms)
    .sort((a, b) => a - b);
  const shares = { min: 0, p25: 0.25, p50: 0.5, p75: 0.75, p90: 0.9, p95: 0.95, p99: 0.99, max: 1 };
  return {
    percentiles: Object.fromEntries(
      Object.entries(shares).map(([name, share]) => [name, quantile(well, share)]),
    ),
  };
}

async function simulatedRun(seed, latency) {
  const world = {
    seed,
    duration: RUN_MS,
    services: {
      storefront: {
        latency: 0,
        calls: ['quotes'],
        spillway: { dependencies: { quotes: { ...QUOTES_POLICY, fallback: () => null } } },
      },
      quotes: {
        latency,
        faults: [{ kind: 'status', status: 503, from: OUTAGE_STARTS_MS, to: OUTAGE_ENDS_MS }],
      },
    },
    traffic: { users: { to: 'storefront', arrivals: { rate: RATE_PER_SECOND } } },
  };
  const whole = await simulate(world);
  const down = await simulate({ ...world, measure: { from: OUTAGE_STARTS_MS, to: OUTAGE_ENDS_MS } });
  const { good, degraded, latency: answered } = whole.variants.only.traffic.users;
  return {
    attempts: down.variants.only.attempts,
    goodput: ((good - degraded) * 1000) / RUN_MS,
    p99Ms: answered.p99Ms,
  };
}

function figuresOf({ attempts, answers }) {
  const answered = answers.filter(({ priced }) => priced !== undefined).map(({ ms }) => ms);
  return {
    attempts,
    goodput: (answers.filter(({ priced }) => priced === true).length * 1000) / RUN_MS,
    p99Ms: quantile(
      answered.sort((a, b) => a - b),
      0.99,
    ),
  };
}

function mediansOf(figures) {
  const median = (name) =>
    quantile(
      figures.map((one) => one[name]).sort((a, b) => a - b),
      0.5,
    );
  return { attempts: median('attempts'), goodput: median('goodput'), p99Ms: median('p99Ms') };
}

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? 0;
}
