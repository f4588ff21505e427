import type { ServerResponse } from 'node:http';
import { after, type Clock, type Timer } from '@spillway/core';
import { bodyOf, isBodiless, isJson, partOf } from './body.js';
import type { FlakyReply } from './flaky-script.js';

/** Plays one reply onto one response. Its timer goes with the connection. */
export class FlakyAnswer {
  readonly #clock: Clock;
  readonly #response: ServerResponse;
  readonly #reply: FlakyReply;
  readonly #body: Buffer;
  #timer: Timer | undefined;

  constructor(clock: Clock, response: ServerResponse, reply: FlakyReply) {
    this.#clock = clock;
    this.#response = response;
    this.#reply = reply;
    this.#body = bodyOf(reply);
    response.once('close', () => this.#end());
  }

  /** Waits the reply's latency, then answers or resets. `whenRead` settles once the request's body is in. */
  async play(whenRead: Promise<void>): Promise<void> {
    if (this.#reply.reset !== 'before-body') await whenRead;
    if (this.#reply.stall) return;
    this.#later(this.#reply.latency ?? 0, () => this.#begin());
  }

  #begin(): void {
    if (this.#reply.reset !== undefined) {
      this.#response.socket?.resetAndDestroy();
      return;
    }
    this.#writeHead();
    const { truncate, stallBody, drip } = this.#reply;
    if (truncate !== undefined) this.#truncate(truncate);
    else if (stallBody) this.#response.write(this.#part(true));
    else if (drip) this.#drip(drip.every, drip.bytes ?? 1, 0);
    else this.#response.end(this.#body);
  }

  #writeHead(): void {
    const { status = 200, headers = {}, close } = this.#reply;
    const response = this.#response;
    response.statusCode = status;
    if (isJson(this.#reply)) response.setHeader('content-type', 'application/json');
    if (!isBodiless(status)) response.setHeader('content-length', this.#body.length);
    if (close) response.setHeader('connection', 'close');
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    response.flushHeaders();
  }

  #truncate(truncate: number | true): void {
    this.#response.write(this.#part(truncate), () => this.#response.socket?.destroy());
  }

  #drip(every: number, bytes: number, from: number): void {
    const to = from + bytes;
    if (to >= this.#body.length) {
      this.#response.end(this.#body.subarray(from));
      return;
    }
    this.#response.write(this.#body.subarray(from, to));
    this.#later(every, () => this.#drip(every, bytes, to));
  }

  #part(truncate: number | true): Buffer {
    return this.#body.subarray(0, partOf(this.#body.length, truncate));
  }

  #later(ms: number, fire: () => void): void {
    if (this.#response.destroyed) return;
    if (ms <= 0) fire();
    else this.#timer = after(this.#clock, ms, fire);
  }

  #end(): void {
    if (this.#timer !== undefined) this.#clock.disarm(this.#timer);
  }
}
