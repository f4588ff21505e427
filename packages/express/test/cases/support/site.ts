import { type ClientRequest, createServer, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach } from '@jest/globals';
import {
  createSpillway,
  type EventOf,
  type EventType,
  type InboundSnapshot,
  type Spillway,
  type SpillwayConfig,
  type SpillwayEvent,
  type SpillwayOptions,
} from '@spillway/core';
import type express from 'express';
import type { Express } from 'express';
import { expressSpillway } from '../../../src/index.js';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

export function cleanUp(clean: () => unknown): void {
  cleanups.push(clean);
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Site {
  readonly spillway: Spillway<Record<string, unknown>>;
  readonly events: SpillwayEvent[];
  readonly of: <K extends EventType>(type: K) => EventOf<K>[];
  readonly inbound: () => InboundSnapshot;
  /** A request on a connection of its own. Rejects when the answer breaks off. */
  readonly ask: (path: string, options?: Asking) => Promise<Answer>;
  /** A request that the test may drop: the client's side of it. */
  readonly open: (path: string, options?: Asking) => ClientRequest;
  /** A bare connection. */
  readonly connect: () => Promise<Socket>;
}

/** A listening application behind Spillway. `first` comes before it, `routes` after. */
export async function site(
  make: typeof express,
  routes: (app: Express) => void,
  config: SpillwayConfig<Record<string, unknown>> = {},
  options: SpillwayOptions & { readonly first?: (app: Express) => void } = {},
): Promise<Site> {
  const events: SpillwayEvent[] = [];
  const observers = [(event: SpillwayEvent) => void events.push(event)];
  // without a gate unless the case is about it: on a busy machine the default one does its work
  const inbound = { concurrency: false, ...config.inbound } as const;
  const spillway = createSpillway<Record<string, unknown>>({ ...config, inbound }, { observers, ...options });
  const app = make();
  app.set('env', 'test');
  options.first?.(app);
  app.use(expressSpillway(spillway));
  routes(app);
  const server = createServer(app);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => {
    spillway.close();
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const open = (path: string, { method = 'GET', headers = {}, body }: Asking = {}): ClientRequest => {
    const outgoing = request({ port, host: '127.0.0.1', path, method, headers, agent: false });
    outgoing.on('error', () => undefined);
    outgoing.end(body);
    return outgoing;
  };
  return {
    spillway,
    events,
    of: <K extends EventType>(type: K) => events.filter((event): event is EventOf<K> => event.type === type),
    inbound: () => spillway.snapshot().inbound,
    ask: (path, asking) => answerTo(open(path, asking)),
    open,
    connect: () => connected(port),
  };
}

function answerTo(outgoing: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (res) => {
      let body = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => {
        body += chunk;
      });
      res.on('error', reject);
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, body }));
    });
  });
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => void socket.once('connect', () => resolve()));
  cleanUp(() => socket.destroy());
  return socket;
}
