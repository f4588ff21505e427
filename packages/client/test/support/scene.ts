import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';
import { type Client, clients } from '@spillway/client';
import {
  createSpillway,
  type DependencyConfig,
  type Spillway,
  type SpillwayConfig,
  type SpillwayEvent,
  type SpillwayOptions,
} from '@spillway/core';
import { type FlakyScript, type FlakyServer, flakyServer } from '@spillway/testing';

/** Retries without waiting, and nothing that stops them early. */
const BRISK = {
  retry: { attempts: 3, backoff: { base: '1ms', cap: '1ms', jitter: 'none' }, budget: false },
  breaker: false,
} as const satisfies DependencyConfig;

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

export function cleanUp(clean: () => unknown): void {
  cleanups.push(clean);
}

export interface Wired {
  readonly spillway: Spillway<{ quotes: never }>;
  readonly client: Client;
  /** Everything that happened so far. */
  readonly events: SpillwayEvent[];
}

/** A client of the dependency `quotes` at `baseUrl`. */
export function wire(
  baseUrl: string,
  policy: DependencyConfig<never> = {},
  options: SpillwayOptions = {},
  config: SpillwayConfig = {},
): Wired {
  const events: SpillwayEvent[] = [];
  const quotes = { ...BRISK, baseUrl, ...policy };
  const spillway = createSpillway<{ quotes: never }>(
    { ...config, dependencies: { quotes } },
    { observers: [(event) => events.push(event)], ...options },
  );
  cleanUp(() => spillway.close());
  return { spillway, client: clients(spillway)('quotes'), events };
}

/** How the first attempt ended. */
export function endOf({ events }: Pick<Wired, 'events'>): SpillwayEvent | undefined {
  return events.find(({ type }) => type === 'attempt.end');
}

export interface Scene extends Wired {
  readonly server: FlakyServer;
}

/** The same, with a server that does as its script says. */
export async function scene(
  script: FlakyScript,
  policy: DependencyConfig<never> = {},
  options: SpillwayOptions = {},
  config: SpillwayConfig = {},
): Promise<Scene> {
  const server = await flakyServer(script);
  cleanUp(() => server.close());
  return { server, ...wire(server.url, policy, options, config) };
}

/** A server of a test's own; answers its URL. */
export async function serve(listener: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** What the errors of these tests carry, each some of it. */
export interface Thrown extends Error {
  readonly code: string;
  readonly status: number;
  readonly statusCode: number;
  readonly expose: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly stopped: string;
  readonly retryAfterMs: number;
  readonly cause: Thrown;
  readonly response: { readonly statusCode: number; readonly body: string };
  readonly request: { readonly options: { readonly headers: Readonly<Record<string, string>> } };
  readonly options: { readonly url: URL };
}

/** The error that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<Thrown> {
  try {
    await promise;
  } catch (error) {
    return error as Thrown;
  }
  throw new Error('It did not reject');
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves when `holds` does; rejects when it takes longer than 2 s. */
export async function eventually(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 5) {
    if (waited > 2000) throw new Error('It did not come true within 2 s');
    await delay(5);
  }
}

/** Resolves when the headers of the next answer have reached got. */
export function headersIn(): Promise<void> {
  return new Promise((resolve) => {
    const seen = () => {
      unsubscribe('got:response:start', seen);
      resolve();
    };
    subscribe('got:response:start', seen);
  });
}
