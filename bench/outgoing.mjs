// A GET of 1 kB of JSON from a local server: the client beside the same got with its own retries on, and undici's
// RetryAgent. Processor time of the asking process, each in one of its own, in turns.
//   node bench/outgoing.mjs            ROUNDS=15 REQUESTS=12000
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { rounds } from './support/rounds.mjs';
import { median, ratio, ratioOf, table } from './support/statistics.mjs';

const MOST = 1.05;
const server = fork(new URL('outgoing/server.mjs', import.meta.url));
const [port] = await once(server, 'message');
process.env.UPSTREAM_PORT = String(port);
const us = await rounds({
  file: new URL('outgoing/child.mjs', import.meta.url),
  variants: ['spillway', 'got', 'undici RetryAgent'],
  count: Number(process.env.ROUNDS ?? 15),
});
server.disconnect();

const rows = Object.entries(us).map(([name, costs]) => [
  name,
  median(costs).toFixed(1),
  ratio(ratioOf(costs, us.got)),
]);
console.log(table(['', 'µs a request', 'ratio to got'], rows));
if (ratioOf(us.spillway, us.got).median > MOST) process.exitCode = 1;
console.log(`\nspillway / got may be at most ${MOST}.`);
