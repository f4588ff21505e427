import { isSpillwayError, problemOf } from '@spillway/core';
import type { ErrorRequestHandler, Request } from 'express';
import type { RequestSpillway } from './request-spillway.js';

/** Named where no request of Spillway's is at hand. */
const ANONYMOUS = 'app';

/**
 * An error handler that answers Spillway's errors with problem details (RFC 9457), and passes all others on. Without
 * it Express's own error handler answers them with the same status and Retry-After.
 * @example app.use(problemDetails());
 */
export function problemDetails(): ErrorRequestHandler {
  return function problemHandler(error, req, res, next) {
    if (res.headersSent || !isSpillwayError(error)) {
      next(error);
      return;
    }
    const { spillway } = req as Request & { spillway?: RequestSpillway };
    const { status, headers, body } = problemOf(error, spillway?.service ?? ANONYMOUS);
    res.status(status).set(headers).send(body);
  };
}
