import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSpillway, type Spillway, type SpillwayEvent } from '@spillway/core';
import { expressSpillway, problemDetails, withFallback } from '@spillway/express';
import { type FlakyServer, flakyServer } from '@spillway/testing';
import express from 'express';
import { Registry } from 'prom-client';
import { prometheus } from '../../src/prometheus/index.js';

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/** A storefront with everything that can go wrong. */
export interface Shop {
  readonly port: number;
  readonly registry: Registry;
  readonly upstream: FlakyServer;
  /** Visits for so long, each kind over and over, and on until `isEnough`; half a minute at most. */
  visit(ms: number, isEnough?: () => boolean | Promise<boolean>): Promise<void>;
  /** State of the breaker of `quotes`. */
  state(): string;
  close(): Promise<void>;
}

function build(upstream: FlakyServer) {
  return createSpillway({
    service: 'storefront',
    inbound: { concurrency: { limit: 30, queue: { size: 2, wait: '50ms' } }, trust: ['127.0.0.0/8'] },
    defaults: {
      attempt: { timeout: '200ms' },
      retry: { backoff: { base: '10ms', cap: '20ms' }, budget: { minPerSecond: 5 } },
      breaker: { consecutive: 5, openFor: '400ms', maxOpenFor: '400ms', probes: 1 },
    },
    dependencies: {
      quotes: { baseUrl: upstream.url },
      stock: {
        baseUrl: upstream.url,
        bulkhead: { concurrent: 1, queue: 1, wait: '30ms' },
        fallback: () => ({ left: null }),
      },
      ledger: {
        attempt: { timeout: '50ms', min: '10ms' },
        retry: false,
        breaker: false,
        bulkhead: { detachAfter: '60ms' },
      },
    },
  });
}

function appOf(spillway: Spillway) {
  const app = express();
  const metrics = prometheus(spillway, { registry: new Registry() });
  app.get('/metrics', metrics.handler);
  app.use(expressSpillway(spillway));
  app.get(
    '/price/:symbol',
    withFallback(
      async (req, res) => void res.json(await req.spillway.client('quotes').get('price').json()),
      (_failure, _req, res) => void res.json({ price: null }),
    ),
  );
  app.get(
    '/stock/:symbol',
    async (req, res) => void res.json(await req.spillway.client('stock').get('stock').json()),
  );
  app.get('/ledger', async (req, res) => {
    // ignores its abort, as drivers do
    await req.spillway.dependency('ledger').settle(() => sleep(150));
    res.json({ ok: true });
  });
  app.get('/slow', async (_req, res) => {
    await sleep(120);
    res.json({ ok: true });
  });
  app.use(problemDetails());
  return { app, metrics };
}

const KEY = { key: '0123456789abcdef' };

/** What an engine of idempotency keys tells. */
function keyedEvents(at: number): SpillwayEvent[] {
  return [
    { ...KEY, at, type: 'idempotency.begin', decision: 'run', attempt: 1, waitedMs: 0 },
    { ...KEY, at, type: 'idempotency.end', outcome: 'completed', durationMs: 20 },
    {
      ...KEY,
      at,
      type: 'idempotency.store-error',
      operation: 'begin',
      timeout: false,
      error: 'ECONNREFUSED',
    },
  ];
}

function ask(port: number, path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
  return new Promise((resolve) => {
    const sent = request({ port, host: '127.0.0.1', path, headers }, (answer) => {
      answer.resume().once('close', resolve);
    });
    sent.once('error', () => resolve()).end();
  });
}

/** One of each: good ones, slow ones with little time, ones with a deadline that has passed or makes no sense. */
function round(port: number): Promise<unknown> {
  const asks = [1, 2, 3].flatMap(() => [ask(port, '/price/A'), ask(port, '/stock/A'), ask(port, '/stock/B')]);
  asks.push(
    ask(port, '/ledger'),
    ask(port, '/slow', { 'x-request-budget-ms': '40' }),
    ask(port, '/slow', { 'grpc-timeout': '0S' }),
    ask(port, '/slow', { 'connect-timeout-ms': 'soon' }),
  );
  return Promise.all(asks);
}

/** More than the gate lets in at a time. */
function burst(port: number): Promise<unknown> {
  const classes = ['critical_plus', 'critical', 'sheddable'];
  return Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      ask(port, '/slow', { 'x-request-criticality': classes[i % 3] ?? '' }),
    ),
  );
}

export async function openShop(): Promise<Shop> {
  // now and then one fails in good times too, and a retry mends it
  const upstream = await flakyServer(({ number }) => (number % 6 === 0 ? 503 : { latency: 10 }));
  const spillway = build(upstream);
  const { app, metrics } = appOf(spillway);
  const server = createServer(app);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    registry: metrics.registry as Registry,
    upstream,
    state: () => spillway.dependency('quotes').breaker.state,
    visit: async (ms, isEnough = () => true) => {
      const begun = performance.now();
      const spent = () => performance.now() - begun;
      for (let i = 0; spent() < ms || (spent() < 30_000 && !(await isEnough())); i++) {
        for (const event of keyedEvents(spillway.clock.now())) spillway.events.emit(event);
        await Promise.all([round(port), i % 5 === 0 ? burst(port) : undefined, sleep(100)]);
      }
    },
    close: async () => {
      await upstream.close();
      spillway.close();
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
