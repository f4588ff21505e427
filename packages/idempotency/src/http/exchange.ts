import type { IncomingMessage, ServerResponse } from 'node:http';
import { after, type Timer } from '@spillway/core';
import type { Claim } from '../engine/claim.js';
import { commitWith } from '../engine/run.js';
import { encodeAnswer, namesType } from './answer.js';
import { Capture, type CapturedAnswer } from './capture.js';
import { headersBefore, mayHaveBody } from './head.js';
import { kept } from './headers.js';
import type { ResolvedHttp } from './options.js';

/** An answer that a handler gives to `transaction`, to be sent once it has been committed. */
export interface TransactionAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** A string or bytes go out as they are, anything else as JSON. */
  readonly body?: unknown;
}

/** `req.idempotency` (`ctx.idempotency`, `request.idempotency`) of a request that came with a key. */
export interface RequestIdempotency {
  /** As the client sent it, without quotes. */
  readonly key: string;
  /** 1-based: runs of this key so far, this one included. */
  readonly attempt: number;
  /** An earlier run never ended: look at the checkpoints before doing anything twice. */
  readonly recovered: boolean;
  /** Aborts when another run has taken the key over because the lease of this one lapsed. */
  readonly signal: AbortSignal;
  /** Notes durably, as JSON, that a part of the work is done (C-080). @throws when it could not be noted */
  checkpoint(name: string, data?: unknown): Promise<void>;
  /** What was noted under that name by this or an earlier run; undefined when nothing was. */
  saved(name: string): unknown;
  /**
   * Runs `work` in a transaction of the store's own database (`sqlite`, `postgres`), commits the answer it gives as
   * the answer of this key in the same transaction, and sends it: effect and record happen together or not at all.
   * For SQLite, `work` has to be synchronous. Answer nothing yourself after it.
   * @throws what the work throws, and when the key is lost; then everything is rolled back
   */
  transaction<Tx = unknown>(work: (tx: Tx) => TransactionAnswer | Promise<TransactionAnswer>): Promise<void>;
}

/** One request at work under its key, from the claim to the stored answer. */
export class Exchange<Req> {
  readonly #http: ResolvedHttp<Req>;
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #claim: Claim;
  readonly #before: ReadonlyMap<string, string>;
  readonly handle: RequestIdempotency;
  readonly #capture: Capture;
  #giveUp: Timer | undefined;
  /** Of the stream that the settled handler answers with. */
  #streamed: number | undefined;

  constructor(
    http: ResolvedHttp<Req>,
    req: IncomingMessage,
    res: ServerResponse,
    claim: Claim,
    key: string,
    before: Iterable<readonly [string, unknown]>,
  ) {
    this.#http = http;
    this.#req = req;
    this.#res = res;
    this.#claim = claim;
    this.#before = headersBefore(before);
    this.handle = this.#makeHandle(key);
    this.#capture = new Capture(req, res, {
      cap: http.engine.options.maxStoredBody,
      onEnd: (answer) => this.#ended(answer),
      onClose: (by) => this.#closed(by),
      onCut: (why) => void (why === 'failed' ? this.#failed() : this.#late(res.statusCode)),
      onLate: (status) => void this.#late(status),
    });
  }

  /** The handler has settled, for frameworks that tell. @param failed it threw */
  handled(failed: boolean): void {
    if (this.#capture.bypassed) void this.#late(failed ? 500 : 200);
    else if (failed && this.#capture.begun) void this.#failed();
  }

  /**
   * The handler has settled and answers with a stream, for frameworks that tell. They destroy it when the client
   * leaves: then it has been carried out, and the answer cannot be kept.
   */
  streams(status: number): void {
    this.#streamed = status;
    if (this.#capture.closed) void this.#late(status);
  }

  async #ended(answer: CapturedAnswer): Promise<void> {
    this.#settled();
    if (this.#http.stores(answer.head.status)) await this.#claim.complete(this.#encode(answer));
    else await this.#claim.release();
  }

  #encode({ head, body }: CapturedAnswer): string | null {
    if (body === undefined) return null;
    const headers = kept(head.headers, {
      setCookie: this.#http.replaySetCookie,
      contentLength: !mayHaveBody(this.#req.method, head.status),
      before: this.#before,
    });
    return encodeAnswer({ status: head.status, message: head.message, headers, body });
  }

  /**
   * A deadline was answered in the handler's place while it ran on. What it has done is done: its answer reached
   * nobody and is not kept, but it is not done again. Only where it failed as well is the key free again.
   */
  async #late(status: number): Promise<void> {
    this.#settled();
    if (this.#http.stores(status)) await this.#claim.complete(null);
    else await this.#claim.release();
  }

  /** It broke off in the middle of its answer, which is none. */
  async #failed(): Promise<void> {
    this.#settled();
    await this.#claim.release();
  }

  #settled(): void {
    if (this.#giveUp !== undefined) this.#http.engine.options.clock.disarm(this.#giveUp);
  }

  /** The client is gone; its retry wants the result, so the handler goes on and its answer is stored (C-079). */
  #closed(by: 'client' | 'server'): void {
    if (this.#streamed !== undefined) {
      void this.#late(this.#streamed);
      return;
    }
    // Cut in the middle by this server, as Express does when a handler throws then: like a worker that was killed.
    if (by === 'server' && this.#capture.begun) this.#claim.letLapse();
    const { clock } = this.#http.engine.options;
    this.#giveUp = after(clock, this.#http.abandonAfterMs, () => this.#claim.abandon(), false);
  }

  #makeHandle(key: string): RequestIdempotency {
    const claim = this.#claim;
    return {
      key,
      attempt: claim.attempt,
      recovered: claim.recovered,
      get signal() {
        return claim.signal;
      },
      checkpoint: (name, data) => claim.checkpoint(name, data),
      saved: (name) => claim.saved(name),
      transaction: (work) => this.#transact(work as (tx: unknown) => TransactionAnswer),
    };
  }

  async #transact(work: (tx: unknown) => TransactionAnswer | Promise<TransactionAnswer>): Promise<void> {
    const answer = await commitWith(this.#claim, this.#http.engine.access, work, (given) =>
      this.#encodeGiven(given),
    );
    const { status, headers, body } = plain(answer);
    if (this.#res.headersSent) return;
    for (const [name, value] of headers) this.#res.setHeader(name, value);
    this.#res.statusCode = status;
    this.#res.end(body);
  }

  #encodeGiven(given: TransactionAnswer): string | null {
    const { status, headers, body } = plain(given);
    if (!this.#http.stores(status)) {
      throw new TypeError(
        `transaction: an answer ${status} is not kept, so it cannot be committed; throw instead`,
      );
    }
    const fits = body.byteLength <= this.#http.engine.options.maxStoredBody;
    return fits ? this.#encode({ head: { status, message: undefined, headers }, body }) : null;
  }
}

interface PlainAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string | string[]])[];
  readonly body: Uint8Array;
}

function plain(answer: TransactionAnswer): PlainAnswer {
  const { status = 200, headers = {}, body } = answer;
  const list = Object.entries(headers).map(([name, value]): [string, string | string[]] => [
    name,
    typeof value === 'string' ? value : [...value],
  ]);
  const isJson = body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array);
  if (isJson && !namesType(list)) {
    list.push(['Content-Type', 'application/json; charset=utf-8']);
  }
  return { status, headers: list, body: bytesOf(body) };
}

function bytesOf(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array(0);
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
