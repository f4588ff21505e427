import { RequestSpillway as BaseSpillway } from '@spillway/client';
import { type InboundRequest, spillwayError } from '@spillway/core';
import type { Registered } from './register.js';

/** What a handler has of Spillway as `ctx.spillway`: its request's time, and the dependencies within it. */
export class RequestSpillway<F extends Record<string, unknown> = Registered> extends BaseSpillway<F> {
  /** The request, if a middleware in front of this one has taken it in already. */
  static takenIn({ spillway }: { spillway?: RequestSpillway }): InboundRequest | undefined {
    return spillway?.inbound;
  }

  /** Where the middleware that stands behind this one finds the request. */
  static inboundOf(ctx: { spillway?: RequestSpillway }): InboundRequest {
    const inbound = RequestSpillway.takenIn(ctx);
    if (inbound === undefined) throw notInstalled();
    return inbound;
  }
}

function notInstalled() {
  return spillwayError(
    'ERR_CONFIG',
    'Spillway is not installed: app.use(koaSpillway(spillway)) must come first',
  );
}
