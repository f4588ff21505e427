import {
  countFallback,
  explainFallbackError,
  FALLBACK_TIMEOUT_MS,
  type InboundRequest,
  markDegraded,
  RouteFallback,
  type SpillwayError,
} from '@spillway/core';
import type { Context, Middleware, Next } from 'koa';
import './augment.js';
import { RequestSpillway } from './request-spillway.js';

/** Answers a request in the place of its handler. */
export type FallbackHandler<C = Context> = (failure: SpillwayError, ctx: C, next: Next) => unknown;

export interface RouteFallbackOptions {
  /** Longest the fallback's own calls may take, in ms. Default 1000. */
  readonly timeoutMs?: number;
  /** Name the failed dependency in `X-Degraded`. Default true. */
  readonly mark?: boolean;
}

/**
 * A middleware with a fallback. The fallback answers when the middleware fails with one of Spillway's failures
 * (refused, timed out, failed upstream), or has not answered shortly before an answer is due. Anything else that is
 * thrown goes up as usual; so does what the fallback throws. Once headers are out the fallback never runs.
 */
export function withFallback<C extends Context>(
  handler: (ctx: C, next: Next) => unknown,
  fallback: FallbackHandler<C>,
  options: RouteFallbackOptions = {},
): Middleware {
  return function guardedMiddleware(ctx, next) {
    // a router hands its own kind of context on; it is the same object
    const own = ctx as unknown as C;
    const request = RequestSpillway.inboundOf(ctx);
    return new GuardedMiddleware(request, options, (failure) => fallback(failure, own, next)).run(() =>
      handler(own, next),
    );
  };
}

/** One run of a middleware with a fallback: ends with whichever of the two answers first. */
class GuardedMiddleware {
  readonly #request: InboundRequest;
  readonly #mark: boolean;
  readonly #answer: (failure: SpillwayError) => unknown;
  readonly #fallback: RouteFallback;
  readonly #done: Promise<void>;
  /** Takes the mark of a fallback back that its handler has beaten. */
  #unmark: (() => void) | undefined;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;

  constructor(
    request: InboundRequest,
    { timeoutMs = FALLBACK_TIMEOUT_MS, mark = true }: RouteFallbackOptions,
    answer: (failure: SpillwayError) => unknown,
  ) {
    this.#request = request;
    this.#mark = mark;
    this.#answer = answer;
    this.#done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#fallback = new RouteFallback(request, timeoutMs, (failure) => void this.#runFallback(failure));
  }

  run(handler: () => unknown): Promise<void> {
    void this.#runHandler(handler);
    return this.#done;
  }

  async #runHandler(handler: () => unknown): Promise<void> {
    try {
      await handler();
      this.#fallback.stop();
      if (!this.#request.answeredForHandler) this.#unmark?.();
      this.#resolve();
    } catch (error) {
      if (this.#request.answeredForHandler) {
        this.#request.cameLate('error');
        this.#resolve();
      } else if (!this.#fallback.takes(error)) this.#fail(error);
    }
  }

  async #runFallback(failure: SpillwayError): Promise<void> {
    if (this.#mark) this.#unmark = markDegraded(this.#request, failure);
    try {
      await this.#answer(failure);
      this.#unmark = undefined;
      countFallback(this.#request, 'used', failure);
      this.#resolve();
    } catch (error) {
      this.#unmark?.();
      countFallback(this.#request, 'failed', failure);
      this.#fail(explainFallbackError(error, failure));
    }
  }

  #fail(error: unknown): void {
    this.#fallback.stop();
    this.#reject(error);
  }
}
