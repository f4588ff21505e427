import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import {
  createSpillway,
  type InboundConfig,
  type Spillway,
  type SpillwayConfig,
  type SpillwayEvent,
} from '@spillway/core';
import express, { type Express } from 'express';
import { type ExpressSpillwayOptions, expressSpillway } from '../../src/index.js';

const require = createRequire(import.meta.url);

/** Both lines of Express, by name. Express 4 has the same types as far as these tests go. */
export const EXPRESS: readonly (readonly [name: string, express: typeof express])[] = [
  ['Express 5', express],
  ['Express 4', require('express4') as typeof express],
];

export interface TestApp {
  readonly app: Express;
  readonly server: Server;
  readonly url: string;
  readonly port: number;
  readonly spillway: Spillway<Record<string, unknown>>;
  readonly events: SpillwayEvent[];
  of<K extends SpillwayEvent['type']>(type: K): Extract<SpillwayEvent, { type: K }>[];
  close(): Promise<void>;
}

export interface TestAppOptions {
  readonly inbound?: InboundConfig;
  readonly dependencies?: SpillwayConfig['dependencies'];
  readonly options?: ExpressSpillwayOptions;
  /** Installed before Spillway. */
  readonly before?: (app: Express) => void;
}

/** A listening application behind `expressSpillway`; `routes` adds the rest. */
export async function startApp(
  make: typeof express,
  routes: (app: Express) => void,
  { inbound = {}, dependencies = {}, options, before }: TestAppOptions = {},
): Promise<TestApp> {
  const spillway = createSpillway<Record<string, unknown>>({ service: 'shop', inbound, dependencies });
  const events: SpillwayEvent[] = [];
  spillway.subscribe((event) => events.push(event));
  const app = make();
  app.set('env', 'test');
  before?.(app);
  app.use(expressSpillway(spillway, options));
  routes(app);
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    app,
    server,
    port,
    url: `http://127.0.0.1:${port}`,
    spillway,
    events,
    of: (type) => events.filter((event) => event.type === type) as never,
    close: async () => {
      spillway.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Waits until `holds`, at most `ms`; says whether it did. */
export async function until(holds: () => boolean, ms = 2000): Promise<boolean> {
  for (let waited = 0; waited < ms; waited += 5) {
    if (holds()) return true;
    await sleep(5);
  }
  return holds();
}
