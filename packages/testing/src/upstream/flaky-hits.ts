import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, type Clock } from '@spillway/core';
import type { FlakyHit } from './flaky-script.js';

interface Waiter {
  readonly n: number;
  readonly enough: () => void;
}

/** A hit that still learns how it ends. */
export class LoggedHit implements FlakyHit {
  readonly number: number;
  readonly step: number;
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly headers: FlakyHit['headers'];
  readonly connection: number;
  readonly at: number;
  complete = false;
  answeredAt: number | undefined;
  closedAt: number | undefined;
  /** Settles once the body has been read; never, when the connection ends before. */
  read: Promise<void> = Promise.resolve();
  readonly #clock: Clock;
  readonly #chunks: Buffer[] = [];

  constructor(clock: Clock, request: IncomingMessage, number: number, step: number, connection: number) {
    this.#clock = clock;
    this.number = number;
    this.step = step;
    this.connection = connection;
    this.at = clock.now();
    this.method = request.method ?? 'GET';
    this.url = request.url ?? '/';
    this.path = this.url.split('?', 1)[0] ?? '/';
    this.headers = request.headers;
  }

  get body(): string {
    return Buffer.concat(this.#chunks).toString();
  }

  follow(request: IncomingMessage, response: ServerResponse): void {
    this.read = new Promise((resolve) => {
      request.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
      request.on('end', () => {
        this.complete = true;
        resolve();
      });
    });
    response.once('finish', () => {
      this.answeredAt = this.#clock.now();
    });
    response.once('close', () => {
      if (!response.writableFinished) this.closedAt = this.#clock.now();
    });
  }
}

/** What reached a flaky server. */
export class HitLog {
  readonly hits: LoggedHit[] = [];
  readonly #clock: Clock;
  readonly #waiters = new Set<Waiter>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(request: IncomingMessage, step: number, connection: number): LoggedHit {
    const hit = new LoggedHit(this.#clock, request, this.hits.length + 1, step, connection);
    this.hits.push(hit);
    for (const waiter of this.#waiters) if (this.hits.length >= waiter.n) waiter.enough();
    return hit;
  }

  count(path?: string): number {
    return path === undefined ? this.hits.length : this.hits.filter((hit) => hit.path === path).length;
  }

  counts(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { path } of this.hits) counts[path] = (counts[path] ?? 0) + 1;
    return counts;
  }

  wait(n: number, within: number): Promise<readonly FlakyHit[]> {
    if (this.hits.length >= n) return Promise.resolve(this.hits.slice(0, n));
    return new Promise((resolve, reject) => {
      const giveUp = after(this.#clock, within, () => {
        this.#waiters.delete(waiter);
        reject(
          new Error(`waitForHits: ${this.hits.length} of ${n} requests reached the server in ${within} ms`),
        );
      });
      const waiter: Waiter = {
        n,
        enough: () => {
          this.#waiters.delete(waiter);
          this.#clock.disarm(giveUp);
          resolve(this.hits.slice(0, n));
        },
      };
      this.#waiters.add(waiter);
    });
  }
}
