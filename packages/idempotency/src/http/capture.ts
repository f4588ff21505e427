import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HeadSnapshot, headOf, mayHaveBody } from './head.js';
import { STORED } from './headers.js';

/** An answer as it left the handler. `answer.body` undefined: larger than the cap. */
export interface CapturedAnswer {
  readonly head: HeadSnapshot;
  readonly body: Uint8Array | undefined;
}

export interface CaptureOptions {
  /** Bytes of body that are kept. */
  readonly cap: number;
  /** The handler has ended its answer; it goes out in full once this resolves, which it must, and soon. */
  readonly onEnd: (answer: CapturedAnswer) => Promise<void>;
  /** The connection closed, and the handler had not ended its answer. @param by the client, or this server itself */
  readonly onClose: (by: 'client' | 'server') => void;
  /** The rest of this answer will never come: its stream failed, or was stopped because nobody reads it any more. */
  readonly onCut: (why: 'failed' | 'unread') => void;
  /** The handler answered with this status after somebody else had answered for it: nobody saw it. */
  readonly onLate: (status: number) => void;
}

type AnyResponse = ServerResponse & { writeHead(...args: unknown[]): ServerResponse };

/**
 * Watches one response at node's own level, where every framework's ways of answering meet: `writeHead`, `write` and
 * `end`. Chunks pass as they come, the end is held back until the answer has been stored: whoever has seen a whole
 * answer will be given it again, also when this process dies right after.
 */
export class Capture {
  readonly #req: IncomingMessage;
  readonly #res: AnyResponse;
  readonly #options: CaptureOptions;
  /** The methods as they were. */
  readonly #own: {
    readonly writeHead: (...args: unknown[]) => ServerResponse;
    readonly write: (...args: unknown[]) => boolean;
    readonly end: (...args: unknown[]) => ServerResponse;
    readonly destroy: (error?: Error) => ServerResponse;
  };
  #head: HeadSnapshot | undefined;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #ended = false;
  #closed = false;
  #passed = false;
  #stopped = false;
  #lateStatus: number | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, options: CaptureOptions) {
    this.#req = req;
    this.#res = res as AnyResponse;
    this.#options = options;
    this.#own = {
      writeHead: res.writeHead as unknown as (...args: unknown[]) => ServerResponse,
      write: res.write as unknown as (...args: unknown[]) => boolean,
      end: res.end as unknown as (...args: unknown[]) => ServerResponse,
      destroy: res.destroy,
    };
    this.#res.write = ((...args: unknown[]) => this.#write(args)) as ServerResponse['write'];
    this.#put(
      'writeHead',
      (args) => this.#writeHead(args),
      (args) => this.#lateHead(args),
    );
    this.#put(
      'end',
      (args) => this.#end(args),
      () => this.#lateEnd(),
    );
    res.destroy = (error) => this.#destroy(error);
    res.once('close', () => this.#onClose());
    res.on('unpipe', () => {
      // A source taken off a response that is closed will not end it.
      if (this.#closed) this.#cut('unread');
    });
  }

  /** The connection has closed. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Part of the answer is out, and its end is not. */
  get begun(): boolean {
    return !this.#ended && this.#head !== undefined && this.#res.headersSent;
  }

  /** Somebody answered past us, on node's own methods, as a deadline does: the handler may still be running. */
  get bypassed(): boolean {
    return !this.#ended && (this.#passed || (this.#head === undefined && this.#res.headersSent));
  }

  /**
   * Puts ours in place of a method. Whoever wraps it later is let; whoever puts a dummy there because the answer is
   * out already, is let as well, but what the handler says to it is still heard.
   */
  #put(name: 'writeHead' | 'end', ours: (args: unknown[]) => unknown, late: (args: unknown[]) => void): void {
    type Method = (...args: unknown[]) => unknown;
    const res = this.#res;
    let current: Method = (...args) => ours(args);
    const replace = (method: Method): void => {
      const dummy = this.bypassed;
      // Remembered: an answer that has left may be made to look as if none had been sent.
      this.#passed = dummy;
      current = dummy
        ? (...args) => {
            late(args);
            return method.apply(res, args);
          }
        : method;
    };
    Object.defineProperty(res, name, {
      configurable: true,
      enumerable: true,
      get: () => current,
      set: replace,
    });
  }

  #lateHead(args: unknown[]): void {
    if (typeof args[0] === 'number') this.#lateStatus = args[0];
  }

  #lateEnd(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onLate(this.#lateStatus ?? this.#res.statusCode);
  }

  #writeHead(args: unknown[]): ServerResponse {
    if (this.#head === undefined && !isInformational(args[0])) {
      this.#head = headOf(this.#res, args);
      // Known before the headers leave: then they can say that this answer is not kept.
      if (declaredLength(this.#head) > this.#options.cap && !this.#res.headersSent)
        this.#res.setHeader(STORED, 'false');
    }
    return this.#own.writeHead.apply(this.#res, args);
  }

  #write(args: unknown[]): boolean {
    if (this.#ended) return false;
    this.#keep(args[0], args[1]);
    // Nobody reads it any more, but the whole answer is wanted: a source must not wait for a drain that never comes.
    if (this.#closed) return true;
    return this.#own.write.apply(this.#res, args);
  }

  #end(args: unknown[]): ServerResponse {
    const res = this.#res;
    if (this.#ended) return res;
    if (typeof args[0] !== 'function') this.#keep(args[0], args[1]);
    this.#ended = true;
    // Puts the headers together now, as a direct end would: nobody may change them while the store is asked.
    if (!res.headersSent) this.#settleHead();
    Object.defineProperty(res, 'writableEnded', { configurable: true, get: () => true });
    const head = this.#head ?? headOf(res, []);
    const body = this.#bytes > this.#options.cap ? undefined : Buffer.concat(this.#chunks);
    this.#chunks = [];
    const out = (): void => {
      delete (res as { writableEnded?: boolean }).writableEnded;
      // HTTP/2's end goes through write.
      res.write = this.#own.write as ServerResponse['write'];
      this.#own.end.apply(res, args);
    };
    this.#options.onEnd({ head, body }).then(out, out);
    return res;
  }

  #onClose(): void {
    this.#closed = true;
    if (this.#ended) return;
    const { socket } = this.#req;
    const isOurs = !this.#stopped && !socket.readableEnded && !socket.errored;
    this.#options.onClose(isOurs ? 'server' : 'client');
  }

  /** The application gives its answer up; once the client is gone, pipelines do so as well, which is no failure. */
  #destroy(error: Error | undefined): ServerResponse {
    if (this.#closed && (error === undefined || hasCode(error, 'ERR_STREAM_PREMATURE_CLOSE')))
      this.#cut('unread');
    else if (error !== undefined) this.#cut('failed');
    // A deadline stops answers as well: the handler may be at work, as after its client has left.
    else this.#stopped = true;
    return this.#own.destroy.call(this.#res, error);
  }

  #cut(why: 'failed' | 'unread'): void {
    if (!this.#ended && !this.bypassed) this.#options.onCut(why);
  }

  #settleHead(): void {
    const res = this.#res;
    const free =
      !res.hasHeader('content-length') && !res.hasHeader('transfer-encoding') && !res.hasHeader('trailer');
    if (free && mayHaveBody(this.#req.method, res.statusCode)) res.setHeader('Content-Length', this.#bytes);
    res.writeHead(res.statusCode);
  }

  #keep(chunk: unknown, encoding: unknown): void {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') return;
    const bytes =
      typeof chunk === 'string'
        ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
        : (chunk as Uint8Array);
    this.#bytes += bytes.byteLength;
    if (this.#bytes > this.#options.cap) this.#chunks = [];
    // Copied: a handler may fill its buffer anew once the write has gone through.
    else this.#chunks.push(typeof chunk === 'string' ? bytes : Uint8Array.prototype.slice.call(bytes));
  }
}

function hasCode(error: Error, code: string): boolean {
  return (error as { code?: unknown }).code === code;
}

function isInformational(status: unknown): boolean {
  return typeof status === 'number' && status < 200;
}

function declaredLength(head: HeadSnapshot): number {
  const line = head.headers.find(([name]) => name.toLowerCase() === 'content-length');
  return line === undefined ? 0 : Number(line[1]);
}
