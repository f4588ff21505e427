import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import { expressSpillway } from '@spillway/express';
import { flakyServer } from '@spillway/testing';
import express from 'express';
import { Registry } from 'prom-client';
import { prometheus } from '../../src/prometheus/index.js';
import { find, type Series, scrape, sum } from '../support/scrape.js';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A shop whose `/price` waits for a dependency that never answers, and whose `/feed` streams for ever. */
async function shop() {
  const quotes = await flakyServer({ stall: true });
  const spillway = createSpillway({ dependencies: { quotes: { baseUrl: quotes.url } } });
  const registry = new Registry();
  prometheus(spillway, { registry });
  const app = express();
  app.use(expressSpillway(spillway));
  app.get('/price', async (req, res) => {
    res.json(await req.spillway.client('quotes').get('').json());
  });
  app.get('/feed', (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/plain' }).write('first line\n');
  });
  const server = createServer(app);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => quotes.close(),
    () => spillway.close(),
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { registry, quotes, port: (server.address() as AddressInfo).port };
}

/** Scrapes until a request has ended. */
async function ended(registry: Registry): Promise<Series[]> {
  for (let tries = 0; tries < 200; tries++) {
    const series = await scrape(registry);
    if (sum(series, 'spillway_inbound_requests_total') > 0) return series;
    await new Promise((resolve) => void setTimeout(resolve, 10));
  }
  throw new Error('no request has ended');
}

function statuses(series: Series[]): (string | undefined)[][] {
  const counted = find(series, 'spillway_inbound_requests_total').filter(({ value }) => value > 0);
  return counted.map(({ labels: { outcome, status }, value }) => [outcome, status, String(value)]);
}

describe('requests that their clients gave up', () => {
  test('C-087 are aborted ones, with the status that was sent or none, once', async () => {
    const early = await shop();
    const waiting = request({ port: early.port, host: '127.0.0.1', path: '/price' }).end();
    waiting.on('error', () => {});
    await early.quotes.waitForHits(1);
    waiting.destroy();
    const before = await ended(early.registry);
    expect(statuses(before)).toEqual([['aborted', 'none', '1']]);
    expect(sum(before, 'spillway_inbound_duration_seconds_count')).toBe(1);
    expect(sum(before, 'spillway_inbound_duration_seconds_count', { outcome: 'aborted' })).toBe(1);
    expect(sum(before, 'spillway_operations_total', { outcome: 'cancelled' })).toBe(1);
    expect(sum(before, 'spillway_operations_total')).toBe(1);
    expect(sum(before, 'spillway_attempts_total', { kind: 'cancelled', result: 'ignored' })).toBe(1);
    expect(sum(before, 'spillway_inbound_in_flight')).toBe(0);
    expect(sum(before, 'spillway_operations_in_flight')).toBe(0);

    const late = await shop();
    const reading = request({ port: late.port, host: '127.0.0.1', path: '/feed' }).end();
    reading.on('error', () => {});
    await new Promise<void>((resolve) => {
      reading.once('response', (answer) => {
        answer.on('error', () => {});
        answer.once('data', () => resolve());
      });
    });
    reading.destroy();
    const during = await ended(late.registry);
    expect(statuses(during)).toEqual([['aborted', '2xx', '1']]);
    expect(sum(during, 'spillway_inbound_duration_seconds_count')).toBe(1);
    expect(sum(during, 'spillway_inbound_in_flight')).toBe(0);
  });
});
