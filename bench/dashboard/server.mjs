// A server with a dashboard that does a thousand operations a second by itself; tells its CPU time when asked.
import http from 'node:http';
import { createSpillway } from '../../packages/core/dist/index.js';
import { dashboard } from '../../packages/dashboard/dist/index.js';

const PER_SECOND = 1000;
const EVERY_MS = 10;

const spillway = createSpillway({
  service: 'bench',
  dependencies: { quotes: {}, payments: {}, stock: {}, search: { breaker: false } },
});
const names = ['quotes', 'payments', 'stock', 'search'];
const work = () => new Promise((resolve) => setImmediate(resolve, 'fine'));
let owed = 0;
let last = performance.now();
let done = 0;

setInterval(() => {
  const now = performance.now();
  owed += ((now - last) / 1000) * PER_SECOND;
  last = now;
  for (; owed >= 1; owed--) {
    spillway.dependency(names[done % names.length]).settle(work);
    done++;
  }
}, EVERY_MS);

const page = dashboard(spillway, { viewers: 500 });
const server = http.createServer(page).listen(0, '127.0.0.1', () => {
  process.send({ port: server.address().port });
});

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send({ cpuUs: user + system, at: performance.now(), done, viewers: page.viewers });
});
process.on('disconnect', () => process.exit(0));
