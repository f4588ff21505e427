// What a guarded call costs beside its peers: a function that does nothing, refusals, and half of the attempts failing.
//   node bench/call.mjs            ROUNDS=15 MEASURED_MS=500
import { rounds } from './support/rounds.mjs';
import { median, ratio, ratioOf, table } from './support/statistics.mjs';

const variants = Object.keys((await import('./call/variants.mjs')).VARIANTS);
const file = new URL('call/child.mjs', import.meta.url);
const ns = await rounds({ file, variants, count: Number(process.env.ROUNDS ?? 15) });

const AGAINST = [
  ['spillway', 'opossum, with its timeout', 0.6],
  ['spillway', 'cockatiel, four policies', 0.04],
  ['spillway, layered', 'opossum, with its timeout'],
  ['spillway, with a listener', 'opossum, with its timeout'],
  ['spillway, in an AsyncLocalStorage', 'opossum, with its timeout'],
  ['spillway open, call', 'cockatiel open', 0.5],
  ['spillway open, call', 'opossum open', 0.5],
  ['spillway open, settle', 'cockatiel open', 0.125],
  ['spillway open, settle', 'opossum open', 0.125],
  ['spillway, half failing', 'cockatiel, half failing', 0.3],
];

console.log('Processor time of one operation, in nanoseconds, median of the rounds:\n');
console.log(
  table(
    ['', 'ns'],
    variants.map((name) => [name, Math.round(median(ns[name]))]),
  ),
);
console.log('\nRatios within a round, median (quartiles), and the most they may be:\n');
const rows = AGAINST.map(([ours, theirs, most]) => {
  const of = ratioOf(ns[ours], ns[theirs]);
  if (most !== undefined && of.median > most) process.exitCode = 1;
  return [`${ours} / ${theirs}`, ratio(of), most ?? 'printed'];
});
console.log(table(['', 'ratio', 'at most'], rows));
