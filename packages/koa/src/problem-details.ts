import { isSpillwayError, problemOf } from '@spillway/core';
import type { Middleware } from 'koa';
import './augment.js';
import type { RequestSpillway } from './request-spillway.js';

/** Named where no request of Spillway's is at hand. */
const ANONYMOUS = 'app';

/**
 * A middleware that answers Spillway's errors, thrown by those behind it, with problem details (RFC 9457), and
 * passes all others on. Without it Koa answers them with the same status and Retry-After.
 * @example app.use(problemDetails());
 */
export function problemDetails(): Middleware {
  return async function problemMiddleware(ctx, next) {
    try {
      await next();
    } catch (error) {
      if (!isSpillwayError(error) || ctx.headerSent || !ctx.writable) throw error;
      const { spillway } = ctx as { spillway?: RequestSpillway };
      const { status, headers, body } = problemOf(error, spillway?.service ?? ANONYMOUS);
      ctx.status = status;
      ctx.set({ ...headers });
      ctx.body = body;
    }
  };
}
