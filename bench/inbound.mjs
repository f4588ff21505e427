// CPU time per request, guarded against bare: both servers alive, slices of load in turn.
//   node bench/inbound.mjs [express,koa,fastify] [slices]
// Prints the median of bare / guarded and its quartiles, and the microseconds that the guard adds.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';

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

function quantile(values, q) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))];
}

for (const framework of frameworks.split(',')) {
  const bare = await serve(framework, 'bare');
  const guarded = await serve(framework, 'spillway');
  await bare.slice(3 * PER_SLICE);
  await guarded.slice(3 * PER_SLICE);
  const ratios = [];
  const added = [];
  for (let i = 0; i < Number(slices); i++) {
    const [without, within] = [await bare.slice(), await guarded.slice()];
    ratios.push(without / within);
    added.push(within - without);
  }
  await Promise.all([bare.stop(), guarded.stop()]);
  const [q1, ratio, q3] = [0.25, 0.5, 0.75].map((q) => quantile(ratios, q).toFixed(3));
  console.log(JSON.stringify({ framework, ratio, q1, q3, addedUs: quantile(added, 0.5).toFixed(2) }));
}
