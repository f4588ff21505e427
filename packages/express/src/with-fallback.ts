import {
  countFallback,
  explainFallbackError,
  FALLBACK_TIMEOUT_MS,
  type InboundRequest,
  isSpillwayError,
  isThenable,
  markDegraded,
  RouteFallback,
  type SpillwayError,
} from '@spillway/core';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import './augment.js';
import { RequestSpillway } from './request-spillway.js';

/** Answers a request in the place of its handler. */
export type FallbackHandler<Req = Request, Res = Response> = (
  failure: SpillwayError,
  req: Req,
  res: Res,
  next: NextFunction,
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
 * goes to `next`, on Express 4 too; so does what the fallback throws. Once headers are out the fallback never runs.
 */
export function withFallback<
  P = Record<string, string>,
  ResBody = unknown,
  ReqBody = unknown,
  ReqQuery = Record<string, unknown>,
  Locals extends Record<string, unknown> = Record<string, unknown>,
>(
  handler: RequestHandler<P, ResBody, ReqBody, ReqQuery, Locals>,
  fallback: FallbackHandler<Request<P, ResBody, ReqBody, ReqQuery, Locals>, Response<ResBody, Locals>>,
  options: RouteFallbackOptions = {},
): RequestHandler<P, ResBody, ReqBody, ReqQuery, Locals> {
  return function guardedHandler(req, res, next) {
    const request = RequestSpillway.inboundOf(req as unknown as Request);
    new GuardedHandler(request, options, next, (failure, goOn) => fallback(failure, req, res, goOn)).run(
      (goOn) => handler(req, res, goOn),
    );
  };
}

/** One run of a handler with a fallback. */
class GuardedHandler {
  readonly #request: InboundRequest;
  readonly #next: NextFunction;
  readonly #answer: (failure: SpillwayError, next: NextFunction) => unknown;
  readonly #mark: boolean;
  readonly #fallback: RouteFallback;

  constructor(
    request: InboundRequest,
    { timeoutMs = FALLBACK_TIMEOUT_MS, mark = true }: RouteFallbackOptions,
    next: NextFunction,
    answer: (failure: SpillwayError, next: NextFunction) => unknown,
  ) {
    this.#request = request;
    this.#next = next;
    this.#answer = answer;
    this.#mark = mark;
    this.#fallback = new RouteFallback(request, timeoutMs, (failure) => void this.#runFallback(failure));
  }

  /** Calls the handler; whatever way it fails, it fails here. */
  async run(handler: (next: NextFunction) => unknown): Promise<void> {
    try {
      const result = handler((error?: unknown) => this.#goOn(error));
      if (!isThenable(result)) return;
      await result;
      this.#request.handled();
    } catch (error) {
      this.#request.handled();
      this.#failed(error);
    }
  }

  /** The handler calls `next`: with an error it has failed, without one it leaves the request to others. */
  #goOn(error: unknown): void {
    if (error !== undefined && error !== null && error !== 'route' && error !== 'router') this.#failed(error);
    else {
      this.#fallback.stop();
      this.#next(error);
    }
  }

  #failed(error: unknown): void {
    if (this.#request.answeredForHandler) this.#request.cameLate('error');
    else if (!this.#fallback.takes(error)) this.#pass(error);
  }

  async #runFallback(failure: SpillwayError): Promise<void> {
    const unmark = this.#mark ? markDegraded(this.#request, failure) : undefined;
    try {
      await this.#answer(failure, this.#next);
      countFallback(this.#request, 'used', failure);
    } catch (error) {
      unmark?.();
      countFallback(this.#request, 'failed', failure);
      if (this.#request.answeredForHandler) this.#request.cameLate('error');
      else this.#pass(explainFallbackError(error, failure));
    }
  }

  /** What nobody here can mend goes to the application's error handlers. */
  #pass(error: unknown): void {
    this.#fallback.stop();
    // the client is gone and the work was given up for it: there is nobody to answer, and nothing to log
    if (isSpillwayError(error, 'ERR_CANCELLED') && !this.#request.answerable) return;
    this.#next(error);
  }
}
