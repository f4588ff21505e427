// One run of the storefront's outage with real processes and sockets.
import { fork } from 'node:child_process';
import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';

const WARM_UP_REQUESTS = 60;
const PATIENCE_MS = 5_000;
const STOREFRONT = new URL('../../examples/storefront/dist/', import.meta.url);

/**
 * @returns `{ attempts, answers }`: attempts that reached quotes while it was down, and each request's
 * `{ sentAt, ms, priced }`, `priced` undefined when no answer came
 */
export async function realRun({ rate, runMs }) {
  const children = [];
  try {
    const quotes = await start(children, 'quotes.js', {});
    const shop = await start(children, 'storefront.js', { QUOTES_URL: `${quotes.url}/spillway` });
    const agent = new Agent({ keepAlive: true });
    for (let i = 0; i < WARM_UP_REQUESTS; i++) await ask(shop.url, agent);
    let attempts = 0;
    quotes.child.on('message', (message) => {
      if (message.type === 'reached') attempts = message.reached.spillway ?? 0;
    });
    quotes.child.send({ type: 'start' });
    const answers = await load(shop.url, agent, rate, runMs);
    // quotes reports five times a second
    await pause(500);
    agent.destroy();
    return { attempts, answers };
  } finally {
    for (const child of children) child.kill();
  }
}

function start(children, name, env) {
  const child = fork(new URL(name, STOREFRONT), {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('message', ({ url }) => resolve({ child, url }));
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code} before it was ready`)));
  });
}

/** Sends every request when it is due, answered or not what went before. */
async function load(url, agent, rate, runMs) {
  const startedAt = performance.now();
  const pending = [];
  for (let i = 0; i < (rate * runMs) / 1000; i++) {
    const due = (i * 1000) / rate;
    const early = due - (performance.now() - startedAt);
    if (early > 0) await pause(early);
    const sentAt = performance.now() - startedAt;
    pending.push(ask(url, agent).then((answer) => ({ sentAt, ...answer })));
  }
  return Promise.all(pending);
}

function ask(url, agent) {
  const from = performance.now();
  return new Promise((resolve) => {
    const request = get(`${url}/price/ACME`, { agent, timeout: PATIENCE_MS }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text) => {
        body += text;
      });
      response.on('end', () => {
        const priced = response.statusCode === 200 && JSON.parse(body).degraded !== true;
        resolve({ ms: performance.now() - from, priced });
      });
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve({ ms: performance.now() - from, priced: undefined }));
  });
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
