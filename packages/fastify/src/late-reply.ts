import type { InboundRequest } from '@spillway/core';
import type { FastifyReply } from 'fastify';

/**
 * From now on a handler that sends once its request has been answered is counted and does no harm: no second answer,
 * no log line about it, no stream left open.
 */
export function silenceWhenSent(reply: FastifyReply, request: InboundRequest): void {
  const { send } = reply;
  reply.send = function sendUnlessLate(this: FastifyReply, payload?: unknown): FastifyReply {
    if (!this.sent) return send.call(this, payload);
    if (payload instanceof Error) request.cameLate('error');
    else noteLate(request, payload);
    return this;
  } as FastifyReply['send'];
}

/** Counts an answer that came too late, and leaves no stream of it open. */
export function noteLate(request: InboundRequest, payload: unknown): void {
  if (isStream(payload)) payload.destroy();
  request.cameLate('answer');
}

/** The request has been answered in its handler's place: the framework has no more to do with it. */
export function takeOver(reply: FastifyReply, request: InboundRequest): void {
  silenceWhenSent(reply, request);
  reply.hijack();
}

function isStream(payload: unknown): payload is { destroy(): void } {
  if (typeof payload !== 'object' || payload === null) return false;
  return (
    'pipe' in payload &&
    'destroy' in payload &&
    typeof (payload as { destroy: unknown }).destroy === 'function'
  );
}
