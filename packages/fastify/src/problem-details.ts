import { isSpillwayError, problemOf } from '@spillway/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import './augment.js';

/** Named where no request of Spillway's is at hand. */
const ANONYMOUS = 'app';

/**
 * An error handler that answers Spillway's errors with problem details (RFC 9457), and passes all others on. Without
 * it Fastify's own error handler answers them with the same status and Retry-After.
 * @example fastify.setErrorHandler(problemDetails());
 */
export function problemDetails(): (
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply {
  return function problemHandler(error, request, reply) {
    if (!isSpillwayError(error)) return reply.send(error);
    const { spillway } = request as { spillway?: { service: string } | null };
    const { status, headers, body } = problemOf(error, spillway?.service ?? ANONYMOUS);
    return reply
      .code(status)
      .headers({ ...headers })
      .send(body);
  };
}
