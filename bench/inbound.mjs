// Processor time per request, guarded against bare: all servers alive, slices of load in turn. A second bare server shows
// what the measurement itself is worth.
//   node bench/inbound.mjs [express,koa,fastify] [slices]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { median, ratio, ratioOf, table } from './support/statistics.mjs';

const [frameworks = 'express,koa,fastify', slices = '15'] = process.argv.slice(2);
const CONNECTIONS = 20;
const PER_SLICE = 4000;
const REQUEST = 'GET / HTTP/1.1\r\nHost: bench\r\nX-Request-Budget-Ms: 2000\r\n\r\n';

async function serve(FRAMEWORK, GUARD) {
  const child = fork(fileURLToPath(new URL('inbound/server.mjs', import.meta.url)), {
    env: { ...process.env, FRAMEWORK, GUARD, NODE_ENV: 'production' },
  });
  const [{ port }] = await once(child, 'message');
  const cpu = async () => {
    child.send('cpu');
    const [{ user, system }] = await once(child, 'message');
    return user + system;
  };
  return {
    async slice(requests = PER_SLICE) {
      const before = await cpu();
      const each = Math.ceil(requests / CONNECTIONS);
      await Promise.all(Array.from({ length: CONNECTIONS }, () => load(port, each)));
      return ((await cpu()) - before) / (each * CONNECTIONS);
    },
    stop() {
      child.disconnect();
      return once(child, 'exit');
    },
  };
}

/** One connection that asks so often, one request after the other. */
function load(port, requests) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let left = requests;
    socket.setNoDelay(true);
    socket.on('connect', () => socket.write(REQUEST));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      if (!chunk.toString('latin1').startsWith('HTTP/1.1 200')) return reject(new Error(chunk.toString()));
      left--;
      if (left > 0) return socket.write(REQUEST);
      socket.end();
      return resolve();
    });
  });
}

const QUICKEST = { express: 0.97, koa: 0.97, fastify: 0.95 };
const GUARDS = ['bare again', 'spillway', 'ambient', 'peer'];
const NAMES = { ambient: 'spillway, ambient context' };
const PEERS = {
  express: 'overload-protection',
  koa: 'overload-protection',
  fastify: 'under-pressure, circuit-breaker',
};

const rows = [];
for (const framework of frameworks.split(',')) {
  const bare = await serve(framework, 'bare');
  const others = [];
  for (const guard of GUARDS) others.push(await serve(framework, guard.split(' ')[0]));
  for (const server of [bare, ...others]) await server.slice(3 * PER_SLICE);
  const without = [];
  const within = GUARDS.map(() => []);
  for (let i = 0; i < Number(slices); i++) {
    without.push(await bare.slice());
    for (const [at, server] of others.entries()) within[at].push(await server.slice());
    process.stderr.write(`\r${framework}: slice ${i + 1} of ${slices}`);
  }
  process.stderr.write('\n');
  await Promise.all([bare, ...others].map((server) => server.stop()));
  for (const [at, guard] of GUARDS.entries()) {
    const of = ratioOf(without, within[at]);
    if (guard === 'spillway' && of.median < QUICKEST[framework]) process.exitCode = 1;
    const name = guard === 'peer' ? PEERS[framework] : (NAMES[guard] ?? guard);
    const added = median(within[at].map((cost, i) => cost - without[i]));
    const least = guard === 'spillway' ? QUICKEST[framework] : 'printed';
    rows.push([`${framework}, ${name}`, ratio(of), added.toFixed(2), least]);
  }
}
console.log(table(['', 'bare / guarded', 'adds, µs', 'at least'], rows));
