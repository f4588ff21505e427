import { randomUUID } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { clients } from '@spillway/client';
import { createSpillway } from '@spillway/core';
import { expressSpillway } from '@spillway/express';
import { scriptedTransport } from '@spillway/testing';
import express from 'express';
import { Registry } from 'prom-client';
import { prometheus } from '../../src/prometheus/index.js';
import { scrape, sum } from '../support/scrape.js';

/** Marks everything that must not be seen. */
const SECRET = 'c0ffee';

function id(): string {
  return `${SECRET}-${randomUUID()}`;
}

/** Sends requests over kept connections, ten at a time. */
async function visit(port: number, paths: readonly string[], headers: () => Record<string, string>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 10 });
  const ask = (path: string) =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, agent, headers: headers() }, (answer) => {
        answer.resume().once('end', resolve);
      });
      sent.once('error', reject).end();
    });
  await Promise.all(paths.map(ask));
  agent.destroy();
}

describe('the labels of metrics', () => {
  test('C-086 hold no path, id, key, host or message, and their number is bounded whatever comes', async () => {
    const spillway = createSpillway(
      {
        // how busy this machine is decides nothing here
        inbound: { concurrency: 1000 },
        dependencies: {
          quotes: { baseUrl: 'http://quotes.test', breaker: { scope: 'endpoint' } },
          hosts: { breaker: { scope: 'origin' } },
          db: { retry: false, breaker: { scope: ({ operation }) => operation } },
        },
      },
      { transports: { quotes: scriptedTransport(200) } },
    );
    const registry = new Registry();
    prometheus(spillway, { registry });
    const app = express();
    app.use(expressSpillway(spillway));
    app.get('/price/:id', async (req, res) => {
      await req.spillway.client('quotes').get(`v1/${req.params.id}`, { idempotencyKey: id() });
      res.json({ ok: true });
    });
    const server = createServer(app);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const keys = () => ({
      'idempotency-key': id(),
      'x-request-budget-ms': id(),
      'x-request-criticality': id(),
    });
    const paths = Array.from({ length: 400 }, (_, i) =>
      i % 2 === 0 ? `/${id()}` : `/price/${id()}?q=${id()}`,
    );
    const client = clients(spillway)('quotes');
    const storm = async () => {
      await visit(port, paths, keys);
      for (let odd = 0; odd < 300; odd++) {
        await client(id(), { method: `ODD${odd}` as never }).catch(() => undefined);
        const failing = () => Promise.reject(new Error(`no row for ${id()}`));
        await spillway.dependency('db').settle(failing, { operation: `read ${odd}`, idempotencyKey: id() });
      }
      for (let host = 0; host < 5000; host++)
        spillway.dependency('hosts').breaker(`http://host-${host}.test`);
    };
    await storm();
    const series = await scrape(registry);
    await storm();
    const again = await scrape(registry);
    server.closeAllConnections();
    server.close();
    spillway.close();
    expect(again.length).toBe(series.length);
    expect(series.length).toBeLessThan(1500);
    expect(sum(series, 'spillway_inbound_requests_total', { status: '2xx' })).toBe(200);
    expect(sum(series, 'spillway_inbound_requests_total', { status: '4xx' })).toBe(200);
    expect(sum(series, 'spillway_operations_total', { dependency: 'db', operation: 'other' })).toBe(270);
    expect(sum(series, 'spillway_telemetry_folded_total', { label: 'operation' })).toBeGreaterThan(270);
    expect(JSON.stringify(again)).not.toMatch(/c0ffee|no row|quotes\.test|v1\//);
  }, 60_000);
});
