import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import {
  after,
  createSpillway,
  guardServer,
  type Spillway,
  type SpillwayConfig,
  type SpillwayEvent,
  type SpillwayOptions,
  systemClock,
} from '@spillway/core';
import type { Exchange, RunningServer, ServerAdapter, ServerPlan, SuiteRoute } from './adapter.js';
import { ask, type Question, RawClient, type Reply, type Way } from './ask.js';

export interface SceneOptions extends Partial<Omit<ServerPlan, 'spillway' | 'routes'>> {
  readonly inbound?: NonNullable<SpillwayConfig['inbound']>;
  readonly dependencies?: NonNullable<SpillwayConfig['dependencies']>;
  readonly context?: NonNullable<SpillwayOptions['context']>;
}

/** One application of the framework under test, guarded, with the clients that ask it. */
export class Scene {
  readonly #adapter: ServerAdapter;
  readonly #way: Way;
  readonly #isGuarded: boolean;
  #clients: RawClient[] = [];
  #connections = new Set<Socket>();
  #running: RunningServer | undefined;
  #spillway: Spillway<Record<string, unknown>> | undefined;
  events: SpillwayEvent[] = [];

  /** @param isGuarded the gate stands in front of the framework already */
  constructor(adapter: ServerAdapter, way: Way, isGuarded = false) {
    this.#adapter = adapter;
    this.#way = way;
    this.#isGuarded = isGuarded;
  }

  /** A scene with one route, `GET /`. */
  serve(
    handler: SuiteRoute['handler'],
    options: SceneOptions = {},
    route: Partial<SuiteRoute> = {},
  ): Promise<void> {
    return this.start([get('/', handler, route)], options);
  }

  /** Starts an application; one that runs is closed first. */
  async start(routes: readonly SuiteRoute[], options: SceneOptions = {}): Promise<void> {
    await this.close();
    const { inbound = {}, dependencies = {}, context, ...plan } = options;
    // how busy this machine is decides nothing here
    const config = {
      service: 'suite',
      inbound: { concurrency: 1000, ...inbound },
      dependencies,
      strict: false,
    };
    const spillway = createSpillway(config, context === undefined ? {} : { context });
    this.events = [];
    spillway.subscribe((event) => this.events.push(event));
    this.#spillway = spillway;
    this.#running = await this.#adapter.start({ ...plan, spillway, routes });
    const { exempt, priority } = plan;
    if (this.#isGuarded)
      guardServer(this.server, spillway, { ...(exempt && { exempt }), ...(priority && { priority }) });
    this.#connections = new Set();
    const connections = this.#connections;
    this.server.on('connection', (socket: Socket) => {
      connections.add(socket);
      socket.once('close', () => connections.delete(socket));
    });
  }

  get spillway(): Spillway<Record<string, unknown>> {
    if (this.#spillway === undefined) throw new Error('the scene has not been started');
    return this.#spillway;
  }

  get inFlight(): number {
    return this.spillway.snapshot().inbound.inFlight;
  }

  /** Connections that its clients have open. */
  get connections(): number {
    return this.#connections.size;
  }

  get logs(): readonly string[] {
    return this.#started.logs;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get server(): Server {
    return this.#started.server;
  }

  count(type: SpillwayEvent['type']): number {
    return this.events.filter((event) => event.type === type).length;
  }

  ask(question: Question | string = {}): Promise<Reply> {
    const asked = typeof question === 'string' ? { path: question } : question;
    return ask(this.#way, this.#started, this.port, asked);
  }

  /** A bare connection. */
  async connect(): Promise<RawClient> {
    const client = await RawClient.to(this.port);
    this.#clients.push(client);
    return client;
  }

  /** Drops what it has written down, and clients that are gone: it would look like a leak of the server. */
  forget(): void {
    this.events.length = 0;
    (this.#started.logs as string[]).length = 0;
    this.#clients = this.#clients.filter(({ closed }) => !closed);
  }

  async close(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.hangUp();
    this.#running?.server.closeAllConnections();
    await this.#running?.close();
    this.#running = undefined;
    this.#spillway?.close();
  }

  get #started(): RunningServer {
    if (this.#running === undefined) throw new Error('the scene has not been started');
    return this.#running;
  }
}

export function get(
  path: string,
  handler: SuiteRoute['handler'],
  route: Partial<SuiteRoute> = {},
): SuiteRoute {
  return { method: 'GET', path, handler, ...route };
}

export function post(
  path: string,
  handler: SuiteRoute['handler'],
  route: Partial<SuiteRoute> = {},
): SuiteRoute {
  return { method: 'POST', path, handler, ...route };
}

export const ok = (exchange: Exchange): void => exchange.answer(200, { ok: true });

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    after(systemClock(), ms, resolve);
  });
}

/** Waits until `holds`, at most `ms`; says whether it did. */
export async function until(holds: () => boolean, ms = 4000): Promise<boolean> {
  const end = systemClock().now() + ms;
  while (!holds()) {
    if (systemClock().now() > end) return false;
    await sleep(5);
  }
  return true;
}
