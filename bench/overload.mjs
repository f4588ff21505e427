// More requests than can be served: an answer is worth nothing after 500 ms, and the clients say so. Once with clients that
// hang up then, once with a proxy that keeps waiting. What is good is told as a share of the bare server's best rate in the
// same run; late is whatever was not answered by the deadline, with 503 either.
//   node bench/overload.mjs            SECONDS=6
//   SECONDS=300 node bench/overload.mjs drift       spillway alone at three times what it can serve, half a minute a row
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { offer } from './overload/load.mjs';
import { quantile, table } from './support/statistics.mjs';

const SECONDS = Number(process.env.SECONDS ?? 6);
/** Handlers of 4 ms on one core. */
const CAPACITY = 250;
const PEERS = { express: 'overload-protection', fastify: 'under-pressure' };
const LIMITS = { 1.5: 0.9, 3: 0.8, 10: 0.6 };
const MOST_LATE = 0.01;
const SLOWEST_REFUSAL_MS = 20;
const LEAST_CRITICAL = 0.99;

async function serve(framework, guard) {
  const child = fork(new URL('overload/server.mjs', import.meta.url), {
    env: { ...process.env, FRAMEWORK: framework, GUARD: guard, NODE_ENV: 'production' },
  });
  const [port] = await once(child, 'message');
  const stop = () => {
    child.disconnect();
    return once(child, 'exit');
  };
  return { port, stop };
}

async function measure(framework, guard, times, options) {
  process.stderr.write(`\roverload: ${framework}, ${guard}, ${times}x, ${options.hangUpMs} ms        `);
  const { port, stop } = await serve(framework, guard);
  const seen = await offer({ port, perSecond: CAPACITY * times, ms: SECONDS * 1000, ...options });
  await stop();
  return { ...seen, perSecond: seen.good.length / SECONDS, lateShare: seen.late / seen.sent };
}

const ms = (values, q) => (values.length === 0 ? '-' : quantile(values, q).toFixed(0));
const percent = (share) => `${(100 * share).toFixed(1)} %`;

function row(name, times, seen, best) {
  const { good, refused, perSecond, lateShare } = seen;
  return [name, times, percent(perSecond / best), ms(good, 0.99), percent(lateShare), ms(refused, 0.5)];
}

function isKept(times, { perSecond, lateShare, refused }, best) {
  if (times === 10) return perSecond / best >= LIMITS[times];
  return (
    perSecond / best >= LIMITS[times] &&
    lateShare <= MOST_LATE &&
    (refused.length === 0 || quantile(refused, 0.5) < SLOWEST_REFUSAL_MS)
  );
}

async function compare(framework, hangUpMs) {
  const bare = new Map();
  for (const times of [1, 1.5, 3]) bare.set(times, await measure(framework, 'bare', times, { hangUpMs }));
  const best = Math.max(...[...bare.values()].map(({ perSecond }) => perSecond));
  const rows = [...bare].map(([times, seen]) => row('bare', times, seen, best));
  const others = [
    ...[1.5, 3].flatMap((times) => ['peer', 'spillway'].map((guard) => [guard, times])),
    ['guardServer', 10],
  ];
  for (const [guard, times] of others) {
    const seen = await measure(framework, guard, times, { hangUpMs });
    if (guard !== 'peer' && !isKept(times, seen, best)) process.exitCode = 1;
    rows.push(row(guard === 'peer' ? PEERS[framework] : guard, times, seen, best));
  }
  console.log(`\n${framework}, clients that give up after ${hangUpMs} ms:\n`);
  console.log(table(['', 'load', 'good', 'p99 of these, ms', 'late', 'refused after, ms'], rows));
}

/** As a proxy without keep-alive asks. */
async function withoutKeepAlive() {
  const rows = [];
  const options = { hangUpMs: 500, keepAlive: false };
  for (const framework of ['express', 'fastify']) {
    for (const times of [1, 1.5, 3]) {
      const bare = await measure(framework, 'bare', times, options);
      const ours = await measure(framework, 'spillway', times, options);
      const shares = [bare, ours].flatMap((seen) => [
        percent(seen.perSecond / CAPACITY),
        percent(seen.lateShare),
      ]);
      rows.push([framework, times, ...shares]);
    }
  }
  console.log('\nA new connection for each request, clients that give up after 500 ms:\n');
  console.log(table(['', 'load', 'bare: good', 'late', 'spillway: good', 'late'], rows));
}

async function classes() {
  const rows = [];
  for (const framework of ['express', 'fastify']) {
    const { critical } = await measure(framework, 'spillway', 3, { hangUpMs: 500, classes: true });
    const share = critical.good / critical.sent;
    if (share < LEAST_CRITICAL) process.exitCode = 1;
    rows.push([framework, `${critical.good} of ${critical.sent}`, percent(share)]);
  }
  console.log('\nThree times the load, a fifth of it critical and the rest sheddable, from a cold start:\n');
  console.log(table(['', 'critical ones answered', ''], rows));
}

async function drift() {
  const { port, stop } = await serve('express', 'spillway');
  const rows = [];
  for (let at = 0; at < SECONDS; at += 30) {
    const seen = await offer({ port, perSecond: 3 * CAPACITY, ms: 30_000, hangUpMs: 500 });
    rows.push([`${at} s`, seen.good.length, percent(seen.late / seen.sent), ms(seen.refused, 0.5)]);
  }
  await stop();
  console.log(table(['from', 'good', 'late', 'refused after, ms'], rows));
}

if (process.argv[2] === 'drift') await drift();
else {
  for (const framework of ['express', 'fastify']) {
    for (const hangUpMs of [500, 5000]) await compare(framework, hangUpMs);
  }
  await withoutKeepAlive();
  await classes();
  process.stderr.write('\n');
}
