import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Clock, systemClock } from '@spillway/core';
import { FlakyAnswer } from './flaky-answer.js';
import { HitLog, type LoggedHit } from './flaky-hits.js';
import {
  type FlakyHit,
  type FlakyPlan,
  type FlakyScript,
  type FlakyStep,
  planOf,
  replyOf,
  stepAt,
} from './flaky-script.js';

export interface FlakyConnections {
  /** Open now. */
  readonly open: number;
  /** Most that were ever open at once. */
  readonly peak: number;
  /** Accepted so far. */
  readonly total: number;
}

export interface FlakyServerOptions {
  /** Default 0: a free one. */
  readonly port?: number;
  /** An idle connection is closed after this many ms. Default Node's, 5,000. */
  readonly keepAliveTimeout?: number;
  /** Default the system clock. Sockets take real time whatever it says. */
  readonly clock?: Clock;
}

/** A local HTTP server that misbehaves as its script says, and remembers what reached it. */
export interface FlakyServer {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Every request that reached it, in order. */
  readonly hits: readonly FlakyHit[];
  readonly connections: FlakyConnections;
  /** How many requests reached it, or one path of it. */
  count(path?: string): number;
  /** How many by path. */
  counts(): Readonly<Record<string, number>>;
  /** Replaces the script; request numbers and time spans start anew. Ends `down()`. */
  script(script: FlakyScript): void;
  /**
   * Every request gets `how` until `up()`. `'refuse'`: open connections are reset and new ones refused.
   * Default 503.
   */
  down(how?: FlakyStep | 'refuse'): Promise<void>;
  /** Back to the script, on the same port. */
  up(): Promise<void>;
  /** Resolves with the first `n` hits. @throws Error when they have not come `within` ms (default 5,000) */
  waitForHits(n: number, within?: number): Promise<readonly FlakyHit[]>;
  /** Ends every connection and stops listening. May be called twice. */
  close(): Promise<void>;
}

/**
 * Starts a real server on 127.0.0.1. Statuses, latency, resets, stalls, cut and dripping bodies, by request number or
 * by time; see `FlakyReply`.
 *
 * @param script default: answers 200
 * @throws TypeError when the script is none
 */
export async function flakyServer(
  script: FlakyScript = 200,
  options: FlakyServerOptions = {},
): Promise<FlakyServer> {
  const server = new RunningServer(planOf(script), options);
  await server.listen(options.port ?? 0);
  return server;
}

class RunningServer implements FlakyServer {
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #log: HitLog;
  readonly #sockets = new Map<Socket, number>();
  #plan: FlakyPlan;
  #down: FlakyPlan | undefined;
  #since: number;
  #step = 0;
  #total = 0;
  #peak = 0;
  #port = 0;

  constructor(plan: FlakyPlan, { clock = systemClock(), keepAliveTimeout }: FlakyServerOptions) {
    this.#clock = clock;
    this.#plan = plan;
    this.#since = clock.now();
    this.#log = new HitLog(clock);
    this.#server = createServer((request, response) => this.#serve(request, response));
    if (keepAliveTimeout !== undefined) this.#server.keepAliveTimeout = keepAliveTimeout;
    this.#server.on('connection', (socket: Socket) => this.#connected(socket));
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get port(): number {
    return this.#port;
  }

  get hits(): readonly FlakyHit[] {
    return this.#log.hits;
  }

  get connections(): FlakyConnections {
    return { open: this.#sockets.size, peak: this.#peak, total: this.#total };
  }

  count(path?: string): number {
    return this.#log.count(path);
  }

  counts(): Readonly<Record<string, number>> {
    return this.#log.counts();
  }

  script(script: FlakyScript): void {
    this.#plan = planOf(script);
    this.#down = undefined;
    this.#step = 0;
    this.#since = this.#clock.now();
  }

  async down(how: FlakyStep | 'refuse' = 503): Promise<void> {
    if (how === 'refuse') await this.#stop();
    else this.#down = planOf(how);
  }

  async up(): Promise<void> {
    this.#down = undefined;
    if (!this.#server.listening) await this.listen(this.#port);
  }

  waitForHits(n: number, within = 5000): Promise<readonly FlakyHit[]> {
    return this.#log.wait(n, within);
  }

  async close(): Promise<void> {
    await this.#stop();
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        this.#server.off('error', reject);
        this.#port = (this.#server.address() as AddressInfo).port;
        resolve();
      });
    });
  }

  #connected(socket: Socket): void {
    this.#total++;
    this.#sockets.set(socket, this.#total);
    this.#peak = Math.max(this.#peak, this.#sockets.size);
    socket.once('close', () => this.#sockets.delete(socket));
    // a reset by either side is what this server is for
    socket.on('error', () => socket.destroy());
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.#step++;
    const hit = this.#log.add(request, this.#step, this.#sockets.get(request.socket) ?? 0);
    const plan = this.#down ?? this.#plan;
    const step = stepAt(plan, this.#step, this.#clock.now() - this.#since);
    hit.follow(request, response);
    this.#answer(step, hit, response).catch((error: unknown) => {
      // a script function that throws is the test's bug: show it to whoever called
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'x-flaky-server': 'script threw' }).end(String(error));
    });
  }

  async #answer(step: FlakyStep, hit: LoggedHit, response: ServerResponse): Promise<void> {
    const reply = await replyOf(step, hit);
    await new FlakyAnswer(this.#clock, response, reply).play(hit.read);
  }

  #stop(): Promise<void> {
    for (const socket of this.#sockets.keys()) socket.resetAndDestroy();
    if (!this.#server.listening) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#server.close((error) => (error === undefined ? resolve() : reject(error)));
    });
  }
}
