import { createServer, type ServerResponse } from 'node:http';
import { announce, onOrder, report } from './processes/announce.js';
import type { Reached } from './processes/messages.js';
import { phaseAt } from './scenario.js';

/** What quotes is told to do by hand, once the script is over: POST /down, POST /up. */
let byHand: 'down' | 'up' | undefined;
/** When the script began; before, quotes is well. */
let startedAt: number | undefined;
/** Attempts that came in while it was down, by caller: the first part of the path. */
const reached: Record<string, number> = {};

const server = createServer((request, response) => {
  const [, caller = '', version, symbol] = (request.url ?? '').split('/');
  if (request.method === 'POST' && (caller === 'down' || caller === 'up')) {
    byHand = caller;
    answer(response, 200, { quotes: byHand });
    return;
  }
  if (version !== 'v1' || symbol === undefined) {
    answer(response, 404, { error: 'GET /<caller>/v1/<symbol>, POST /down, POST /up' });
    return;
  }
  const { status, latencyMs } = health();
  if (status !== 200) reached[caller] = (reached[caller] ?? 0) + 1;
  const body = status === 200 ? { symbol, price: priceOf(symbol) } : { error: 'quotes is down' };
  if (latencyMs === 0) answer(response, status, body);
  else setTimeout(answer, latencyMs, response, status, body);
});

function health(): { status: number; latencyMs: number } {
  if (byHand === 'down') return { status: 503, latencyMs: 0 };
  return phaseAt(startedAt === undefined ? 0 : performance.now() - startedAt);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`);
}

/** Any price will do, as long as a symbol keeps its own. */
function priceOf(symbol: string): number {
  let sum = 0;
  for (const char of symbol) sum = (sum * 31 + char.charCodeAt(0)) % 50_000;
  return sum / 100;
}

onOrder(() => {
  startedAt = performance.now();
  setInterval(() => report({ type: 'reached', reached: { ...reached } } satisfies Reached), 200).unref();
});
announce(server.listen(0, '127.0.0.1'));
