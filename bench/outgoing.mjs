// A GET of 1 kB of JSON from a local server: the client beside the same got with its own retries on, and undici's
// RetryAgent. Processor time of the asking process.
//   node bench/outgoing.mjs            SLICES=40
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { median, ratio, ratioOf, table } from './support/statistics.mjs';

const MOST = 1.05;
const server = fork(new URL('outgoing/server.mjs', import.meta.url));
const [port] = await once(server, 'message');
const asking = fork(new URL('outgoing/child.mjs', import.meta.url), [String(port)], {
  env: { ...process.env, NODE_ENV: 'production' },
});
const [us] = await once(asking, 'message');
asking.disconnect();
server.disconnect();

const rows = Object.entries(us).map(([name, costs]) => [
  name,
  median(costs).toFixed(1),
  ratio(ratioOf(costs, us.got)),
]);
console.log(table(['', 'µs a request', 'ratio to got'], rows));
if (ratioOf(us.spillway, us.got).median > MOST) process.exitCode = 1;
console.log(`\nspillway / got may be at most ${MOST}.`);
