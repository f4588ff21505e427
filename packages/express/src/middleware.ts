import type { ContextCarrier, Criticality, Entry, InboundRequest, Spillway } from '@spillway/core';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import './augment.js';
import { RequestSpillway } from './request-spillway.js';

export interface ExpressSpillwayOptions {
  /** Never refused, not counted at the gate: paths (of `req.path`), or a predicate. For health checks. */
  readonly exempt?: readonly string[] | ((req: Request) => boolean);
  /** Criticality of a request, in place of what a trusted caller says; `undefined` keeps that. */
  readonly priority?: (req: Request) => Criticality | undefined;
  /** Who calls: keeps apart the idempotency keys of different callers when they are passed on. */
  readonly callerScope?: (req: Request) => string | undefined;
}

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
  const entryOf = entryReader(options);
  return function spillwayMiddleware(req: Request, res: Response, next: NextFunction): void {
    const request = inbound.enter(req, res, entryOf?.(req));
    if (request.decision === 'refused') return;
    // which dependencies there are is known to the type of this spillway alone
    req.spillway = new RequestSpillway(spillway as unknown as Spillway<Record<string, unknown>>, request);
    if (request.decision === 'admitted') proceed(request, context, next);
    else {
      // a promise goes on in the context of this request, not of the one whose place it takes
      const decided = new Promise<boolean>((resolve) => request.whenDecided(resolve));
      decided.then((isAdmitted) => isAdmitted && proceed(request, context, next));
    }
  };
}

function proceed(request: InboundRequest, context: ContextCarrier | undefined, next: NextFunction): void {
  if (context === undefined) next();
  else context.run(request.call, next);
}

/** Reads what the options say of a request; nothing to read, nothing done. */
function entryReader(options: ExpressSpillwayOptions): ((req: Request) => Entry) | undefined {
  const { exempt, priority, callerScope } = options;
  if (exempt === undefined && priority === undefined && callerScope === undefined) return undefined;
  const isExempt = exemption(exempt);
  return (req) => ({ exempt: isExempt(req), priority: priority?.(req), callerScope: callerScope?.(req) });
}

function exemption(exempt: ExpressSpillwayOptions['exempt']): (req: Request) => boolean {
  if (exempt === undefined) return () => false;
  if (typeof exempt === 'function') return exempt;
  const paths = new Set(exempt);
  return (req) => paths.has(req.path);
}
