// One client through an outage, in a process of its own: a server that answers 503 for a while, then 200.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { CLIENTS } from './clients.mjs';

const PER_SECOND = 100;
const OUTAGE_MS = Number(process.env.OUTAGE_MS ?? 10_000);
const AFTER_MS = Number(process.env.AFTER_MS ?? 6000);

let endsAt = Number.POSITIVE_INFINITY;
let attempts = 0;
const server = createServer((_req, res) => {
  if (performance.now() >= endsAt) return res.end('ok');
  attempts++;
  return res.writeHead(503).end('down');
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const call = CLIENTS[process.argv[2]](`http://127.0.0.1:${server.address().port}/`);

const waits = [];
let recoveredMs;

async function ask() {
  const asked = performance.now();
  try {
    await call();
    if (performance.now() >= endsAt) recoveredMs ??= performance.now() - endsAt;
  } catch {
    if (asked < endsAt) waits.push(performance.now() - asked);
  }
}

const began = performance.now();
endsAt = began + OUTAGE_MS;
const calls = [];
while (performance.now() < endsAt + AFTER_MS) {
  while (calls.length < ((performance.now() - began) * PER_SECOND) / 1000) calls.push(ask());
  await new Promise((resolve) => setTimeout(resolve, 2));
}
await Promise.all(calls);
process.send({ attempts, waits, recoveredMs });
process.once('disconnect', () => process.exit(0));
