import {
  countFallback,
  explainFallbackError,
  FALLBACK_TIMEOUT_MS,
  type InboundRequest,
  isThenable,
  markDegraded,
  RouteFallback,
  type SpillwayError,
} from '@spillway/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { noteLate, silenceWhenSent } from './late-reply.js';
import { RequestSpillway } from './request-spillway.js';

/** Answers a request in the place of its handler: by what it returns, or by `reply.send`. */
export type FallbackHandler<Req = FastifyRequest, Rep = FastifyReply> = (
  failure: SpillwayError,
  request: Req,
  reply: Rep,
) => unknown;

export interface RouteFallbackOptions {
  /** Longest the fallback's own calls may take, in ms. Default 1000. */
  readonly timeoutMs?: number;
  /** Name the failed dependency in `X-Degraded`. Default true. */
  readonly mark?: boolean;
}

/**
 * A handler with a fallback. The fallback answers when the handler fails with one of Spillway's failures (refused,
 * timed out, failed upstream), or has not answered shortly before an answer is due. Anything else the handler throws
 * goes to the error handler; so does what the fallback throws. Once headers are out the fallback never runs.
 */
export function withFallback<Req extends object, Rep extends object>(
  handler: (this: FastifyInstance, request: Req, reply: Rep) => unknown,
  fallback: FallbackHandler<Req, Rep>,
  options: RouteFallbackOptions = {},
): (this: FastifyInstance, request: Req, reply: Rep) => unknown {
  return function guardedHandler(request, reply) {
    // routes type their requests and replies; each is one of Fastify's
    const own = reply as unknown as FastifyReply;
    const inbound = RequestSpillway.inboundOf(request);
    const answer = (failure: SpillwayError) => fallback(failure, request, reply);
    return new FallbackRun(inbound, own, options, answer).run(() => handler.call(this, request, reply));
  };
}

/** One run of a handler with a fallback: ends with whichever of the two answers first. */
class FallbackRun {
  readonly #request: InboundRequest;
  readonly #reply: FastifyReply;
  readonly #mark: boolean;
  readonly #answer: (failure: SpillwayError) => unknown;
  readonly #fallback: RouteFallback;
  /** Of a handler that answers by its promise, or failed before it could. */
  #settle: { resolve(value: unknown): void; reject(error: unknown): void } | undefined;
  /** Takes the mark of a fallback back that its handler has beaten. */
  #unmark: (() => void) | undefined;

  constructor(
    request: InboundRequest,
    reply: FastifyReply,
    { timeoutMs = FALLBACK_TIMEOUT_MS, mark = true }: RouteFallbackOptions,
    answer: (failure: SpillwayError) => unknown,
  ) {
    this.#request = request;
    this.#reply = reply;
    this.#mark = mark;
    this.#answer = answer;
    this.#fallback = new RouteFallback(request, timeoutMs, (failure) => void this.#runFallback(failure));
  }

  run(handler: () => unknown): unknown {
    this.#catchSent();
    try {
      const result = handler();
      if (result === this.#reply || !isThenable(result)) return result;
      return this.#promised(() => void this.#follow(result));
    } catch (error) {
      return this.#promised(() => this.#failed(error));
    }
  }

  #promised(begin: () => void): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
      begin();
    });
  }

  /** A handler that answers by `reply.send` fails by it too. */
  #catchSent(): void {
    const reply = this.#reply;
    const { send } = reply;
    reply.send = ((payload?: unknown) => {
      if (payload instanceof Error && this.#settle === undefined && this.#fallback.takes(payload))
        return reply;
      this.#fallback.stop();
      return send.call(reply, payload);
    }) as FastifyReply['send'];
  }

  async #follow(result: PromiseLike<unknown>): Promise<void> {
    try {
      const value = await result;
      this.#fallback.stop();
      if (!this.#request.answeredForHandler) this.#unmark?.();
      else if (value !== undefined) noteLate(this.#request, value);
      this.#settle?.resolve(value);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#request.answeredForHandler) {
      this.#request.cameLate('error');
      this.#settle?.resolve(undefined);
    } else if (!this.#fallback.takes(error)) this.#give(error, true);
  }

  async #runFallback(failure: SpillwayError): Promise<void> {
    if (this.#mark) this.#unmark = markDegraded(this.#request, failure);
    // the handler may still run, and answer once the fallback has
    silenceWhenSent(this.#reply, this.#request);
    try {
      const value = await this.#answer(failure);
      this.#unmark = undefined;
      countFallback(this.#request, 'used', failure);
      this.#give(value, false);
    } catch (error) {
      this.#unmark?.();
      countFallback(this.#request, 'failed', failure);
      this.#give(explainFallbackError(error, failure), true);
    }
  }

  #give(value: unknown, isError: boolean): void {
    this.#fallback.stop();
    const settle = this.#settle;
    if (settle !== undefined) (isError ? settle.reject : settle.resolve)(value);
    else if (!this.#reply.sent && (isError || value !== undefined)) this.#reply.send(value);
  }
}
