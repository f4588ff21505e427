import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { expressSpillway } from '@spillway/express';
import { fastifySpillway } from '@spillway/fastify';
import { koaSpillway } from '@spillway/koa';
import express from 'express';
import fastify from 'fastify';
import Koa from 'koa';
import { Registry } from 'prom-client';
import { prometheus } from '../../src/prometheus/index.js';
import { parse, sum } from '../support/scrape.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A service that lets one request in at a time, and its metrics. */
function busy() {
  const spillway = createSpillway({ service: 'shop', inbound: { concurrency: 1 } });
  closing.push(() => spillway.close());
  return { spillway, metrics: prometheus(spillway, { registry: new Registry() }) };
}

async function listen(server: Server): Promise<number> {
  if (!server.listening) await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return (server.address() as AddressInfo).port;
}

/** Holds the one place, sees another request refused, and scrapes. */
async function scrapedWhileBusy(port: number): Promise<void> {
  const held = request({ port, host: '127.0.0.1', path: '/wait' }).end();
  held.on('error', () => {});
  const url = `http://127.0.0.1:${port}`;
  let refused = 0;
  for (let tries = 0; refused !== 503 && tries < 100; tries++) {
    refused = (await fetch(`${url}/other`)).status;
  }
  expect(refused).toBe(503);
  const answer = await fetch(`${url}/metrics`);
  const text = await answer.text();
  held.destroy();
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ]);
  const refusals = { spillway: 'shop', reason: 'limit', observed: 'false' };
  expect(sum(parse(text), 'spillway_inbound_refused_total', refusals)).toBe(1);
  expect(sum(parse(text), 'spillway_inbound_in_flight')).toBe(1);
}

describe('metrics are read while the service refuses requests', () => {
  test('in Express, mounted before the gate', async () => {
    const { spillway, metrics } = busy();
    const app = express();
    app.get('/metrics', metrics.handler);
    app.use(expressSpillway(spillway));
    app.get('/wait', () => {});
    await scrapedWhileBusy(await listen(createServer(app)));
  });

  test('in Koa, mounted before the gate', async () => {
    const { spillway, metrics } = busy();
    const app = new Koa();
    app.use(async (ctx, next) => {
      if (ctx.path !== '/metrics') return next();
      ctx.type = metrics.registry.contentType;
      ctx.body = await metrics.registry.metrics();
    });
    app.use(koaSpillway(spillway));
    app.use((ctx) => (ctx.path === '/wait' ? new Promise(() => {}) : undefined));
    await scrapedWhileBusy(await listen(createServer(app.callback())));
  });

  test('in Fastify, as a route that the gate lets pass', async () => {
    const { spillway, metrics } = busy();
    const app = fastify();
    await app.register(fastifySpillway, { spillway });
    app.get('/wait', () => new Promise(() => {}));
    app.get('/metrics', { config: { spillway: { exempt: true } } }, async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
    );
    await app.listen({ port: 0, host: '127.0.0.1' });
    await scrapedWhileBusy(await listen(app.server));
  });
});
