import http, { type IncomingHttpHeaders, type RequestListener, type RequestOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

export function cleanUp(clean: () => unknown): void {
  cleanups.push(clean);
}

/** A server on a free port; answers its port. */
export async function serve(listener: RequestListener): Promise<number> {
  const server = http.createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request on a connection of its own, with exactly these headers: no fetch sets any of its own. */
export function ask(
  port: number,
  path: string,
  options: RequestOptions = {},
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, agent: false, ...options }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('end', () =>
        resolve({
          status: res.statusCode as number,
          headers: res.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.on('error', reject);
    request.end(body);
  });
}

export interface FeedEvent {
  readonly event: string;
  readonly data: string;
}

export interface Reader {
  readonly headers: IncomingHttpHeaders;
  readonly status: number;
  readonly events: FeedEvent[];
  readonly ended: Promise<void>;
  /** Resolves once so many events are in. */
  until(count: number): Promise<void>;
  /** Takes nothing more off its connection. */
  pause(): void;
  resume(): void;
  leave(): void;
}

/** Reads a feed as a browser does. */
export function readFeed(port: number, path = '/events'): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port, path, agent: false }, (res) => {
      const events: FeedEvent[] = [];
      let text = '';
      let notify = () => {};
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) {
          const [, event, data] = /^event: (\w+)\ndata: (.*)$/s.exec(part) ?? [];
          if (event !== undefined) events.push({ event, data: data ?? '' });
        }
        notify();
      });
      const ended = new Promise<void>((end) => res.once('close', end));
      const until = (count: number) =>
        new Promise<void>((reached) => {
          notify = () => {
            if (events.length >= count) reached();
          };
          notify();
        });
      resolve({
        headers: res.headers,
        status: res.statusCode as number,
        events,
        ended,
        until,
        pause: () => void res.pause(),
        resume: () => void res.resume(),
        leave: () => request.destroy(),
      });
    });
    request.once('error', reject);
  });
}

/** Resolves when `holds` does; rejects when it takes longer than 5 s. */
export async function eventually(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds(); waited += 5) {
    if (waited > 5000) throw new Error('It did not come true within 5 s');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
