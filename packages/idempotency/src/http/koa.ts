import type { IncomingMessage, ServerResponse } from 'node:http';
import { spillwayError } from '@spillway/core';
import type { IdempotencyStore } from '../engine/store.js';
import { namesType } from './answer.js';
import { tapBodies } from './body-tap.js';
import { Exchange, type RequestIdempotency } from './exchange.js';
import { decide, type Presented, type Verdict } from './gate.js';
import { type IdempotentOptions, resolveHttp } from './options.js';
import { isStream } from './stream-body.js';

/** What is used of a Koa context. */
export interface KoaLikeContext {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly originalUrl: string;
  readonly ip: string;
  readonly request: object;
  readonly respond?: boolean | undefined;
  readonly writable: boolean;
  status: number;
  message: string;
  body: unknown;
  set(field: string, value: string | string[]): unknown;
  idempotency?: RequestIdempotency;
}

export type KoaLikeMiddleware = (ctx: KoaLikeContext, next: () => Promise<unknown>) => Promise<void>;

/**
 * Idempotency-Key for Koa 2 and 3: like `idempotent`, with `ctx.idempotency` for the handler. TypeScript gets Koa's own
 * types of it from `@spillway/idempotency/koa`.
 * @throws ERR_CONFIG naming the option that is wrong
 */
export function koaIdempotent<
  Ctx extends KoaLikeContext = KoaLikeContext,
  S extends IdempotencyStore = IdempotencyStore,
>(options: IdempotentOptions<Ctx, S>): KoaLikeMiddleware {
  const http = resolveHttp(options);
  tapBodies(http.fingerprintLimit);
  return async (ctx, next) => {
    if (ctx.idempotency !== undefined) {
      // Another of these stands above: one run has its key once.
      await next();
      return;
    }
    let exchange: Exchange<Ctx> | undefined;
    const verdict = await decide(http, present<Ctx>(ctx));
    switch (verdict.kind) {
      case 'gone':
        throw spillwayError('ERR_CANCELLED', 'The client went away before its request was complete.');
      case 'answered':
        return;
      case 'answer':
        answer(ctx, verdict);
        return;
      case 'run': {
        const before = Object.entries(ctx.res.getHeaders());
        exchange = new Exchange(http, ctx.req, ctx.res, verdict.claim, verdict.key, before);
        ctx.idempotency = exchange.handle;
      }
    }
    try {
      await next();
    } catch (error) {
      if (exchange !== undefined) settled(ctx, exchange, true);
      throw error;
    }
    if (exchange !== undefined) settled(ctx, exchange, false);
  };
}

/**
 * Koa does not give a client that has left the handler's answer, or an empty one: it takes the response for writable
 * from here on, so that the answer is captured as it would have gone out.
 */
function settled(ctx: KoaLikeContext, exchange: Exchange<never>, failed: boolean): void {
  const { res } = ctx;
  exchange.handled(failed);
  Object.defineProperty(ctx, 'writable', { configurable: true, get: () => !res.writableEnded });
  if (!failed && ctx.respond !== false && isStream(ctx.body)) exchange.streams(ctx.status);
}

function present<Ctx extends KoaLikeContext>(ctx: KoaLikeContext): Presented<Ctx> {
  const { body, rawBody } = ctx.request as { body?: unknown; rawBody?: unknown };
  return {
    req: ctx.req,
    res: ctx.res,
    subject: ctx as unknown as Ctx,
    url: ctx.originalUrl,
    address: ctx.ip,
    hints: { rawBody, parsed: body },
  };
}

function answer(ctx: KoaLikeContext, verdict: Extract<Verdict, { kind: 'answer' }>): void {
  const { status, headers, body } = verdict.answer;
  ctx.status = status;
  if (verdict.message !== undefined) ctx.message = verdict.message;
  // Koa names a type for a body without one; the stored answer had none.
  ctx.body = body.byteLength > 0 ? Buffer.from(body) : null;
  ctx.status = status;
  if (!namesType(headers)) ctx.res.removeHeader('Content-Type');
  for (const [name, value] of headers) ctx.set(name, typeof value === 'string' ? value : [...value]);
}
