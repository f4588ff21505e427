import { Duplex, PassThrough } from 'node:stream';
import type { CancelListener } from '@spillway/core';
import type { Request, Response } from 'got';

/** Who decides over a stream's request while it runs. */
export interface StreamOwner {
  /** The reader has lost interest, or a write failed. */
  abandon(reason: unknown): void;
  /** Translates an error of the body. */
  explain(error: unknown): unknown;
}

/**
 * A streamed answer. Emits `response` with got's response once its headers are in, `error` with what a promise would
 * have been rejected with. What is written to it is the request's body, when no option gave one; a body that is
 * written can be sent once, so there is one attempt.
 */
export class ClientStream extends Duplex implements CancelListener {
  /** got's response, from the `response` event on. */
  response: Response | undefined;
  /** The body written so far, for the attempt to send. Undefined when an option gave it, or the method has none. */
  readonly upload: PassThrough | undefined;
  #source: Request | undefined;
  #owner: StreamOwner | undefined;

  constructor(uploads: boolean) {
    // an option that Node documents and its types lack
    super({ allowHalfOpen: true, ...{ writable: uploads } });
    this.upload = uploads ? new PassThrough() : undefined;
  }

  /** @internal */
  belongsTo(owner: StreamOwner): void {
    this.#owner = owner;
  }

  /** @internal The answer whose body this stream hands on. */
  attach(source: Request, response: Response): void {
    if (this.destroyed) {
      source.destroy();
      return;
    }
    if (source.errored !== null) {
      this.destroy(this.#owner?.explain(source.errored) as Error);
      return;
    }
    this.#source = source;
    this.response = response;
    this.emit('response', response);
    source.on('data', (chunk: unknown) => {
      if (!this.push(chunk)) source.pause();
    });
    source.once('end', () => this.push(null));
    source.on('error', (error: unknown) => this.destroy(this.#owner?.explain(error) as Error));
  }

  /** The request it works for was cancelled: nobody reads on. */
  onCancel(reason: unknown): void {
    this.destroy(reason instanceof Error ? reason : new Error(String(reason)));
  }

  override _read(): void {
    this.#source?.resume();
  }

  override _write(chunk: unknown, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.upload === undefined || this.upload.destroyed) done();
    else this.upload.write(chunk, encoding, () => done());
  }

  override _final(done: (error?: Error | null) => void): void {
    this.upload?.end();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#source?.destroy();
    this.upload?.destroy();
    this.#owner?.abandon(error);
    done(error);
  }
}
