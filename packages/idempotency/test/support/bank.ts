import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { freePort } from './real-servers.js';

/** A dependency that deduplicates by key, loses some of its answers, and can be down. */
export class Bank {
  /** Effects by key, in the order in which they happened, per lane. */
  readonly effects = new Map<string, number>();
  readonly lanes = new Map<string, number[]>();
  /** Requests that came, repeated ones included. */
  arrivals = 0;
  withoutKey = 0;
  /** Requests that came while another of their lane was being served. */
  readonly overlaps: string[] = [];
  readonly #busy = new Map<string, string>();
  readonly #lost = new Set<string>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async reserve(): Promise<void> {
    this.port = await freePort();
  }

  async up(): Promise<void> {
    const server = createServer((req, res) => {
      const [, , lane = '', number = ''] = (req.url ?? '').split('/');
      const key = req.headers['idempotency-key'];
      this.arrivals++;
      if (typeof key !== 'string') this.withoutKey++;
      const other = this.#busy.get(lane);
      if (other !== undefined) this.overlaps.push(`${number} while ${other}`);
      this.#busy.set(lane, number);
      req.resume();
      setTimeout(() => {
        this.#busy.delete(lane);
        this.#happen(String(key), lane, Number(number));
        if (Number(number) % 17 === 0 && !this.#lost.has(String(key))) {
          this.#lost.add(String(key));
          req.socket.destroy();
          return;
        }
        res.writeHead(201).end();
      }, 3);
    });
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
  }

  async down(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #happen(key: string, lane: string, number: number): void {
    if (this.effects.has(key)) return;
    this.effects.set(key, number);
    this.lanes.set(lane, [...(this.lanes.get(lane) ?? []), number]);
  }
}
