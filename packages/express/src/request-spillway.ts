import { RequestSpillway as BaseSpillway } from '@spillway/client';
import { type InboundRequest, spillwayError } from '@spillway/core';
import type { Request } from 'express';
import type { Registered } from './register.js';

/** Where a request has its spillway for ours, whatever stands in for `req.spillway`. */
const KEPT: unique symbol = Symbol('spillway');

interface Kept {
  [KEPT]?: RequestSpillway;
}

/** What a handler has of Spillway as `req.spillway`: its request's time, and the dependencies within it. */
export class RequestSpillway<F extends Record<string, unknown> = Registered> extends BaseSpillway<F> {
  /** The request, if a middleware in front of this one has taken it in already. */
  static takenIn(req: Request): InboundRequest | undefined {
    return (req as Kept)[KEPT]?.inbound;
  }

  keepIn(req: Request): void {
    const own = this as unknown as RequestSpillway;
    (req as Kept)[KEPT] = own;
    req.spillway = own;
  }

  /** Where the middleware that stands behind this one finds the request. */
  static inboundOf(req: Request): InboundRequest {
    const { spillway } = req as { spillway?: RequestSpillway };
    if (spillway === undefined) throw notInstalled();
    return spillway.inbound;
  }
}

function notInstalled() {
  return spillwayError(
    'ERR_CONFIG',
    'Spillway is not installed: app.use(expressSpillway(spillway)) must come first',
  );
}
