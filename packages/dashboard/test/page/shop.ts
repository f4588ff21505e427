import http, { type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSpillway, type Spillway } from '@spillway/core';
import { type DashboardOptions, dashboard } from '../../src/index.js';

/** Long enough to be seen, short enough to be waited for. */
const OPEN_MS = 1500;

export interface Shop {
  readonly spillway: Spillway<{ quotes: unknown; payments: unknown }>;
  readonly port: number;
  readonly url: string;
  /** Is quotes down? */
  down: boolean;
  call(): Promise<unknown>;
  /** Calls both dependencies and the gate, steadily. */
  trade(): void;
  /** Ends it as a process that dies does. */
  end(): Promise<void>;
}

/** A service with two dependencies that has a dashboard. */
export async function shop(options: DashboardOptions = {}, port = 0): Promise<Shop> {
  const spillway = createSpillway<{ quotes: unknown; payments: unknown }>({
    service: 'shop',
    inbound: { concurrency: 50 },
    dependencies: {
      quotes: { retry: false, breaker: { consecutive: 3, openFor: OPEN_MS, jitter: 0, probes: 1 } },
      payments: {},
    },
  });
  const page = dashboard(spillway, { tick: '250ms', ...options });
  const server = http.createServer((req, res) => {
    if (req.url !== '/work') page(req, res);
    else if (spillway.inbound.enter(req, res).decision === 'admitted') res.end('done');
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const bound = (server.address() as AddressInfo).port;
  const timers: NodeJS.Timeout[] = [];
  const made: Shop = {
    spillway,
    port: bound,
    url: `http://127.0.0.1:${bound}/`,
    down: false,
    call: () =>
      spillway.dependency('quotes').settle(async () => {
        if (made.down) throw new Error('down');
        return 'fine';
      }),
    trade() {
      timers.push(
        setInterval(() => {
          void made.call();
          void spillway.dependency('payments').settle(async () => 'paid');
          http.get({ port: bound, path: '/work', agent: false }, (res) => res.resume()).on('error', () => {});
        }, 20),
      );
    },
    async end() {
      for (const timer of timers) clearInterval(timer);
      spillway.close();
      await closed(server);
    },
  };
  return made;
}

function closed(server: Server): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  return ended;
}
