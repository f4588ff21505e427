import { type EntryOptions, entryReader, runInContext, type Spillway } from '@spillway/core';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import './augment.js';
import { RequestSpillway } from './request-spillway.js';
import { shareShape } from './shared-shape.js';

export type ExpressSpillwayOptions = EntryOptions<Request>;

/**
 * Guards an Express application: reads deadlines, refuses what is over the limit, answers 504 in time, and gives
 * handlers `req.spillway`. Put it before everything that should be guarded, body parsers included.
 * @example app.use(expressSpillway(spillway));
 */
export function expressSpillway<F extends Record<string, unknown>>(
  spillway: Spillway<F>,
  options: ExpressSpillwayOptions = {},
): RequestHandler {
  const { inbound, context } = spillway;
  const entryOf = entryReader(options, pathOf);
  return function spillwayMiddleware(req: Request, res: Response, next: NextFunction): void {
    shareShape(req, res);
    const request = RequestSpillway.takenIn(req) ?? inbound.enter(req, res, entryOf?.(req));
    if (request.decision === 'refused') return;
    // which dependencies there are is known to the type of this spillway alone
    const own = new RequestSpillway(spillway as unknown as Spillway<Record<string, unknown>>, request);
    own.keepIn(req);
    if (request.decision === 'admitted') runInContext(context, request, next);
    else {
      // a promise goes on in the context of this request, not of the one whose place it takes
      const decided = new Promise<boolean>((resolve) => request.whenDecided(resolve));
      decided.then((isAdmitted) => isAdmitted && runInContext(context, request, next));
    }
  };
}

function pathOf(req: Request): string {
  return req.path;
}
