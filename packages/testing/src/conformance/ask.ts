import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { systemClock } from '@spillway/core';
import supertest from 'supertest';
import type { RunningServer } from './adapter.js';

/** How the suite asks: over a connection of its own, or through supertest. */
export type Way = 'sockets' | 'supertest';

export interface Question {
  readonly method?: 'GET' | 'POST' | 'HEAD' | 'OPTIONS';
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** How long it took, in ms. */
  readonly ms: number;
}

export async function ask(
  way: Way,
  running: RunningServer,
  port: number,
  question: Question,
): Promise<Reply> {
  const clock = systemClock();
  const began = clock.now();
  const reply = way === 'sockets' ? await overSocket(port, question) : await overSupertest(running, question);
  return { ...reply, ms: clock.now() - began };
}

type Answer = Omit<Reply, 'ms'>;

function overSocket(
  port: number,
  { method = 'GET', path = '/', headers = {}, body }: Question,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', method, path, headers, agent: false }, (res) => {
      let text = '';
      res.setEncoding('utf8');
      res.on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => resolve({ status: res.statusCode ?? 0, headers: res.headers, text }));
      res.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

async function overSupertest(
  { listener }: RunningServer,
  { method = 'GET', path = '/', headers = {}, body }: Question,
): Promise<Answer> {
  const agent = supertest(listener);
  const verb = { GET: agent.get, POST: agent.post, HEAD: agent.head, OPTIONS: agent.options }[method];
  let test = verb.call(agent, path).redirects(0).set(headers);
  // supertest would otherwise parse JSON by its type and keep nothing of a body that it does not know
  test = test.buffer(true).parse(readText);
  const reply = await (body === undefined ? test : test.send(body as string));
  const { body: text } = reply;
  return { status: reply.status, headers: reply.headers, text: typeof text === 'string' ? text : '' };
}

function readText(
  res: { setEncoding(encoding: 'utf8'): void; on(event: string, listener: (chunk: string) => void): unknown },
  done: (error: Error | null, text: string) => void,
): void {
  let text = '';
  res.setEncoding('utf8');
  res.on('data', (chunk) => {
    text += chunk;
  });
  res.on('end', () => done(null, text));
}

/** A connection on which requests are written by hand. */
export class RawClient {
  readonly #socket: Socket;
  text = '';
  closed = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      this.text += chunk;
    });
    // a reset is one of the ends that are looked for
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.closed = true;
    });
  }

  static to(port: number): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new RawClient(socket)));
      socket.once('error', reject);
    });
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  get(path = '/', headers = ''): void {
    this.send(`GET ${path} HTTP/1.1\r\nHost: suite\r\n${headers}\r\n`);
  }

  post(
    path: string,
    body: string,
    { headers = '', length = body.length }: { readonly headers?: string; readonly length?: number } = {},
  ): void {
    const head = `POST ${path} HTTP/1.1\r\nHost: suite\r\nContent-Type: application/json\r\n`;
    this.send(`${head}Content-Length: ${length}\r\n${headers}\r\n${body}`);
  }

  hangUp(): void {
    this.#socket.destroy();
  }

  /** How many answers have begun. */
  get answers(): number {
    return this.text.split('HTTP/1.1 ').length - 1;
  }
}
