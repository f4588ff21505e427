// What open pages cost the server: CPU time of one that does 1,000 operations a second, with viewers and without, in turn.
//   node bench/dashboard.mjs [viewers] [rounds] [seconds]
// Prints the median share of one core with and without, and what the viewers add; exit code 1 at 5 % or more.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from './support/statistics.mjs';

const [viewers = 50, rounds = 5, seconds = 10] = process.argv.slice(2).map(Number);
const MOST_ADDED = 0.05;

const child = fork(fileURLToPath(new URL('dashboard/server.mjs', import.meta.url)));
const [{ port }] = await once(child, 'message');

async function read() {
  child.send('cpu');
  const [reading] = await once(child, 'message');
  return reading;
}

/** Share of one core over some seconds, and the operations done a second. */
async function measure() {
  const before = await read();
  await wait(seconds * 1000);
  const after = await read();
  const ms = after.at - before.at;
  return {
    core: (after.cpuUs - before.cpuUs) / 1000 / ms,
    perSecond: ((after.done - before.done) * 1000) / ms,
    viewers: after.viewers,
  };
}

function watch() {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/events', agent: false }, (res) => {
      res.resume();
      resolve(request);
    });
    request.on('error', reject);
  });
}

const percent = (share) => `${(share * 100).toFixed(2)} %`;

await wait(3000);
const pairs = [];
for (let round = 0; round < rounds; round++) {
  const without = await measure();
  const requests = await Promise.all(Array.from({ length: viewers }, watch));
  await wait(500);
  const within = await measure();
  if (within.viewers !== viewers) throw new Error(`${within.viewers} of ${viewers} pages were open`);
  for (const request of requests) request.on('error', () => {}).destroy();
  await wait(500);
  pairs.push({ without, within, added: within.core - without.core });
}
child.disconnect();
await once(child, 'exit');

const added = median(pairs.map((pair) => pair.added));
console.log(
  JSON.stringify({
    viewers,
    operationsPerSecond: Math.round(median(pairs.map(({ within }) => within.perSecond))),
    without: percent(median(pairs.map(({ without }) => without.core))),
    with: percent(median(pairs.map(({ within }) => within.core))),
    added: percent(added),
  }),
);
process.exitCode = added < MOST_ADDED ? 0 : 1;
