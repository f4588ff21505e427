import { isSpillwayError, isThenable } from '@spillway/core';
import type { FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify';
import { noteLate } from './late-reply.js';
import { RequestSpillway } from './request-spillway.js';

const GUARDED = new WeakSet<RouteHandlerMethod>();

/**
 * On a request, left there by whoever has to know how its handler ended, as idempotency does: called with whether it
 * failed, where its late end goes no further than here.
 */
const HANDLED: unique symbol = Symbol.for('spillway.handled') as never;

interface Listening {
  readonly [HANDLED]?: (failed: boolean) => void;
}

/** A route's handler whose end is heard of: late answers and errors are counted, and do no harm. */
export function guardHandler(handler: RouteHandlerMethod): RouteHandlerMethod {
  const guarded: RouteHandlerMethod = function spillwayHandler(request, reply) {
    const result: unknown = handler.call(this, request, reply);
    // a reply is a promise of its own end
    if (result === reply || !isThenable(result)) return result;
    return result.then(
      (payload) => settled(request, payload),
      (error) => failed(request, reply, error),
    );
  };
  GUARDED.add(guarded);
  return guarded;
}

export function isGuarded(handler: RouteHandlerMethod): boolean {
  return GUARDED.has(handler);
}

function settled(request: FastifyRequest, payload: unknown): unknown {
  const inbound = RequestSpillway.inboundOf(request);
  inbound.handled();
  if (!inbound.answeredForHandler) return payload;
  (request as Listening)[HANDLED]?.(false);
  if (payload !== undefined) noteLate(inbound, payload);
  return undefined;
}

/** @throws the error, for Fastify and the application to answer, unless there is nobody to be answered any more */
function failed(request: FastifyRequest, reply: FastifyReply, error: unknown): undefined {
  const inbound = RequestSpillway.inboundOf(request);
  const { raw } = reply;
  inbound.handled();
  if (inbound.answeredForHandler) {
    (request as Listening)[HANDLED]?.(true);
    inbound.cameLate('error');
    return undefined;
  }
  // part of the body is out: the client must not take it for the whole, nor wait for the rest (C-063)
  if (raw.headersSent && !raw.writableEnded) raw.destroy();
  // the client is gone and the work was given up for it: there is nobody to answer, and nothing to log
  if (isSpillwayError(error, 'ERR_CANCELLED') && !inbound.answerable) {
    reply.hijack();
    return undefined;
  }
  throw error;
}
