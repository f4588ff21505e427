import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Entry } from '../../../src/inbound/inbound.js';
import type { InboundRequest } from '../../../src/inbound/inbound-request.js';
import { createSpillway, type InboundConfig, type Spillway, type SpillwayEvent } from '../../../src/index.js';

export type Handler = (request: InboundRequest, req: IncomingMessage, res: ServerResponse) => unknown;

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly ms: number;
}

/** A plain node:http server behind the inbound room: what an adapter does, without a framework. */
export class GuardedServer {
  readonly spillway: Spillway<Record<string, unknown>>;
  readonly events: SpillwayEvent[] = [];
  readonly requests: InboundRequest[] = [];
  /** What handlers threw. */
  readonly errors: unknown[] = [];
  readonly #server: Server;
  #handler: Handler;
  entry: Entry | undefined;
  /** Runs before a request is taken in. */
  before: ((req: IncomingMessage, res: ServerResponse) => unknown) | undefined;
  /** Requests that came. */
  arrivals = 0;

  constructor(inbound: InboundConfig, handler: Handler) {
    this.spillway = createSpillway({ service: 'test', inbound, dependencies: {} as Record<string, never> });
    this.spillway.subscribe((event) => this.events.push(event));
    this.#handler = handler;
    this.#server = createServer((req, res) => this.#onRequest(req, res));
  }

  static async start(inbound: InboundConfig, handler: Handler): Promise<GuardedServer> {
    const guarded = new GuardedServer(inbound, handler);
    await new Promise<void>((resolve) => guarded.#server.listen(0, '127.0.0.1', resolve));
    return guarded;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  handle(handler: Handler): void {
    this.#handler = handler;
  }

  get inFlight(): number {
    return this.spillway.snapshot().inbound.inFlight;
  }

  of<K extends SpillwayEvent['type']>(type: K): Extract<SpillwayEvent, { type: K }>[] {
    return this.events.filter((event) => event.type === type) as Extract<SpillwayEvent, { type: K }>[];
  }

  async #onRequest(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.arrivals++;
    if (this.before !== undefined) await this.before(req, res);
    const inbound = this.spillway.inbound.enter(req, res, this.entry);
    this.requests.push(inbound);
    const run = () => this.#run(inbound, req, res);
    if (inbound.decision === 'admitted') run();
    else if (inbound.decision === 'waiting') inbound.whenDecided((ok) => ok && run());
  }

  async #run(inbound: InboundRequest, req: IncomingMessage, res: ServerResponse): Promise<void> {
    try {
      await this.#handler(inbound, req, res);
    } catch (error) {
      this.errors.push(error);
    }
  }

  get(headers: Record<string, string | string[]> = {}, path = '/', method = 'GET'): Promise<Reply> {
    const began = this.spillway.clock.now();
    return new Promise((resolve, reject) => {
      const outgoing = request(
        { port: this.port, host: '127.0.0.1', path, method, headers, agent: false },
        (res) => {
          let body = '';
          res.setEncoding('utf8');
          res.on('data', (chunk: string) => {
            body += chunk;
          });
          res.on('end', () =>
            resolve({
              status: res.statusCode ?? 0,
              headers: res.headers,
              body,
              ms: this.spillway.clock.now() - began,
            }),
          );
          res.on('error', reject);
        },
      );
      outgoing.on('error', reject);
      outgoing.end();
    });
  }

  /** A bare connection. */
  async connect(): Promise<RawClient> {
    const socket = connect(this.port, '127.0.0.1');
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    return new RawClient(socket);
  }

  async close(): Promise<void> {
    this.spillway.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export class RawClient {
  readonly socket: Socket;
  text = '';
  closed = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      this.text += chunk;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
    });
  }

  send(text: string): void {
    this.socket.write(text);
  }

  get(path = '/', headers = ''): void {
    this.send(`GET ${path} HTTP/1.1\r\nHost: test\r\n${headers}\r\n`);
  }

  hangUp(): void {
    this.socket.destroy();
  }
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
