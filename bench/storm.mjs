// An outage of ten seconds at a hundred requests a second, four attempts each: what reaches the dependency, how long those
// who fail wait, and how long after its end the first caller is served.
//   node bench/storm.mjs            ROUNDS=1 OUTAGE_MS=10000
import { CLIENTS } from './storm/clients.mjs';
import { rounds } from './support/rounds.mjs';
import { median, quantile, table } from './support/statistics.mjs';

const variants = Object.keys(CLIENTS);
const file = new URL('storm/child.mjs', import.meta.url);
const measured = await rounds({ file, variants, count: Number(process.env.ROUNDS ?? 1) });

const ms = (value) => (value === undefined ? '-' : value.toFixed(1));
const rows = variants.map((name) => {
  const waits = measured[name].flatMap((round) => round.waits);
  return [
    name,
    median(measured[name].map(({ attempts }) => attempts)),
    ms(median(waits)),
    ms(quantile(waits, 0.99)),
    ms(median(measured[name].map(({ recoveredMs }) => recoveredMs ?? Number.POSITIVE_INFINITY))),
  ];
});
console.log(
  table(
    ['', 'attempts in the outage', 'median failed wait, ms', 'p99 failed wait, ms', 'recovered after, ms'],
    rows,
  ),
);
