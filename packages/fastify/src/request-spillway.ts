import { RequestSpillway as BaseSpillway } from '@spillway/client';
import { type InboundRequest, spillwayError } from '@spillway/core';
import type { Registered } from './register.js';

/** What a handler has of Spillway as `request.spillway`: its request's time, and the dependencies within it. */
export class RequestSpillway<F extends Record<string, unknown> = Registered> extends BaseSpillway<F> {
  /** Where hooks and handlers find the request. */
  static inboundOf({ spillway }: { spillway?: RequestSpillway | null }): InboundRequest {
    if (spillway === undefined || spillway === null) throw notInstalled();
    return spillway.inbound;
  }
}

function notInstalled() {
  return spillwayError(
    'ERR_CONFIG',
    'Spillway is not installed: fastify.register(fastifySpillway, { spillway }) must come first',
  );
}
