import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Readable, Writable } from 'node:stream';
import type { Attempt, Transport, TransportRequest, TransportResponse } from '@spillway/core';

type Chunks = AsyncIterable<string | Uint8Array> | Iterable<string | Uint8Array>;

/** Sends one attempt to a transport instead of the network: what got sees is a request like any other. */
export function sendTo(
  transport: Transport,
  dependency: string,
  attempt: Attempt,
  url: URL,
  options: RequestOptions,
): ClientRequest {
  const request = new InMemoryRequest(transport, dependency, attempt, url, options);
  // got uses the part of a ClientRequest that is a Writable with a 'response' event
  return request as unknown as ClientRequest;
}

class InMemoryRequest extends Writable {
  readonly reusedSocket = false;
  readonly protocol: string;
  readonly #transport: Transport;
  readonly #attempt: Attempt;
  readonly #facts: Omit<TransportRequest, 'body' | 'signal'>;
  readonly #chunks: Uint8Array[] = [];
  #answer: Readable | undefined;

  constructor(transport: Transport, dependency: string, attempt: Attempt, url: URL, options: RequestOptions) {
    // like a ClientRequest, it outlives its last byte
    super({ autoDestroy: false });
    this.protocol = url.protocol;
    this.#transport = transport;
    this.#attempt = attempt;
    const method = options.method ?? 'GET';
    const headers = plainHeaders(options.headers as Record<string, unknown>);
    const { number, timeoutMs } = attempt;
    this.#facts = { dependency, method, url: url.href, headers, attempt: number, timeoutMs };
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    done();
    void this.#exchange();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const answer = this.#answer;
    if (answer !== undefined && !answer.readableEnded) answer.destroy(hangUp());
    done(error ?? (answer === undefined ? hangUp() : null));
  }

  async #exchange(): Promise<void> {
    try {
      const answer = await this.#transport(requestOf(this.#facts, this.#chunks, this.#attempt));
      if (this.destroyed) return;
      this.#answer = responseOf(answer, this.#facts.method);
      this.emit('response', this.#answer);
    } catch (error) {
      this.destroy(
        error instanceof Object && 'message' in error ? (error as Error) : new Error(String(error)),
      );
    }
  }
}

function requestOf(
  facts: Omit<TransportRequest, 'body' | 'signal'>,
  chunks: Uint8Array[],
  attempt: Attempt,
): TransportRequest {
  return {
    ...facts,
    body: chunks.length === 0 ? undefined : Buffer.concat(chunks),
    get signal() {
      return attempt.signal;
    },
  };
}

function responseOf({ status, headers = {}, body }: TransportResponse, method: string): Readable {
  const isBodiless = method === 'HEAD' || status === 204 || status === 304 || body === undefined;
  const stream = Readable.from(isBodiless ? [] : chunksOf(body), { objectMode: false });
  const message: Partial<IncomingMessage> = {
    statusCode: status,
    statusMessage: '',
    headers: lowerCased(headers),
    rawHeaders: [],
    trailers: {},
    rawTrailers: [],
    httpVersion: '1.1',
    complete: false,
  };
  stream.once('end', () => Object.assign(stream, { complete: true }));
  return Object.assign(stream, message);
}

function chunksOf(body: NonNullable<TransportResponse['body']>): Chunks {
  return typeof body === 'string' || body instanceof Uint8Array ? [body] : body;
}

function lowerCased(headers: NonNullable<TransportResponse['headers']>): IncomingMessage['headers'] {
  const lower: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    lower[name.toLowerCase()] = Array.isArray(value) ? value.map(String) : String(value);
  }
  return lower;
}

function plainHeaders(headers: Record<string, unknown>): TransportRequest['headers'] {
  const plain: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    plain[name.toLowerCase()] = Array.isArray(value) ? value.map(String) : String(value);
  }
  return plain;
}

function hangUp(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
