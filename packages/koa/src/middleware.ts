import { Stream } from 'node:stream';
import {
  type EntryOptions,
  entryReader,
  type InboundRequest,
  isSpillwayError,
  runInContext,
  type Spillway,
} from '@spillway/core';
import type { Context, Middleware, Next } from 'koa';
import './augment.js';
import { RequestSpillway } from './request-spillway.js';

export type KoaSpillwayOptions = EntryOptions<Context>;

/**
 * Guards a Koa application: reads deadlines, refuses what is over the limit, answers 504 in time, and gives
 * middleware `ctx.spillway`. Put it before everything that should be guarded, body parsers included.
 * @example app.use(koaSpillway(spillway));
 */
export function koaSpillway<F extends Record<string, unknown>>(
  spillway: Spillway<F>,
  options: KoaSpillwayOptions = {},
): Middleware {
  const { inbound, context } = spillway;
  const entryOf = entryReader(options, pathOf);
  return async function spillwayMiddleware(ctx: Context, next: Next): Promise<void> {
    const request = RequestSpillway.takenIn(ctx) ?? inbound.enter(ctx.req, ctx.res, entryOf?.(ctx));
    // which dependencies there are is known to the type of this spillway alone
    ctx.spillway = new RequestSpillway(spillway as unknown as Spillway<Record<string, unknown>>, request);
    if (request.decision !== 'admitted' && !(await isAdmitted(request))) {
      ctx.respond = false;
      return;
    }
    try {
      await (context === undefined ? next() : runInContext(context, request, next));
    } catch (error) {
      failed(request, ctx, error);
      return;
    }
    request.handled();
    // Koa answers when the last middleware has returned, whatever that set
    if (request.answeredForHandler) late(request, ctx);
    else cutWithSource(ctx);
  };
}

/** A promise goes on in the context of this request, not of the one whose place it takes. */
function isAdmitted(request: InboundRequest): boolean | Promise<boolean> {
  if (request.decision === 'refused') return false;
  return new Promise((resolve) => request.whenDecided(resolve));
}

function late(request: InboundRequest, ctx: Context): void {
  request.cameLate('answer');
  ctx.respond = false;
}

/** A stream that fails once its first byte is out ends its answer, which Koa 2 leaves open (C-063). */
function cutWithSource({ response: { body }, res }: Context): void {
  if (body instanceof Stream) {
    body.once('error', () => {
      if (res.headersSent && !res.writableEnded) res.destroy();
    });
  }
}

/** @throws the error, for Koa and the application to answer, unless there is nobody to be answered any more */
function failed(request: InboundRequest, ctx: Context, error: unknown): void {
  const { res } = ctx;
  request.handled();
  if (request.answeredForHandler) {
    request.cameLate('error');
    ctx.respond = false;
    return;
  }
  // part of the body is out: the client must not take it for the whole, nor wait for the rest (C-063)
  if (res.headersSent && !res.writableEnded) res.destroy();
  // the client is gone and the work was given up for it: there is nobody to answer, and nothing to log
  if (isSpillwayError(error, 'ERR_CANCELLED') && !request.answerable) {
    ctx.respond = false;
    return;
  }
  throw error;
}

function pathOf(ctx: Context): string {
  return ctx.path;
}
