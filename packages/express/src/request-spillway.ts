import { RequestSpillway as BaseSpillway } from '@spillway/client';
import { type InboundRequest, spillwayError } from '@spillway/core';
import type { Request } from 'express';
import type { Registered } from './register.js';

const KEPT: unique symbol = Symbol('spillway');

/**
 * What keeps the spillway of a request: its list of raw headers. Express gives each request another prototype, after
 * which V8 gives it shapes of its own: to add a property to it costs more than all the rest of the guard. Lists have
 * their shape in common. A stand-in for a request, as tests make them, may have no list and keeps it itself.
 */
export interface Keeper {
  [KEPT]?: RequestSpillway;
}

/** What a handler has of Spillway as `req.spillway`: its request's time, and the dependencies within it. */
export class RequestSpillway<F extends Record<string, unknown> = Registered> extends BaseSpillway<F> {
  static keeperOf(req: Request): Keeper {
    return (req.rawHeaders as Keeper | undefined) ?? (req as Keeper);
  }

  /** What a middleware in front of this one has made of the request. */
  static keptBy(keeper: Keeper): RequestSpillway | undefined {
    return keeper[KEPT];
  }

  /** The request, if a middleware in front of this one has taken it in already. */
  static takenIn(keeper: Keeper): InboundRequest | undefined {
    return RequestSpillway.keptBy(keeper)?.inbound;
  }

  keepIn(keeper: Keeper): void {
    keeper[KEPT] = this as unknown as RequestSpillway;
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
