import { RequestSpillway as BaseSpillway } from '@spillway/client';
import { type InboundRequest, spillwayError } from '@spillway/core';
import type { Request } from 'express';
import type { Registered } from './register.js';

/** What a handler has of Spillway as `req.spillway`: its request's time, and the dependencies within it. */
export class RequestSpillway<F extends Record<string, unknown> = Registered> extends BaseSpillway<F> {
  /** The request, if a middleware in front of this one has taken it in already. */
  static takenIn(req: Request): InboundRequest | undefined {
    return (req as { spillway?: RequestSpillway }).spillway?.inbound;
  }

  /** Where the middleware that stands behind this one finds the request. */
  static inboundOf(req: Request): InboundRequest {
    const inbound = RequestSpillway.takenIn(req);
    if (inbound === undefined) throw notInstalled();
    return inbound;
  }
}

function notInstalled() {
  return spillwayError(
    'ERR_CONFIG',
    'Spillway is not installed: app.use(expressSpillway(spillway)) must come first',
  );
}
