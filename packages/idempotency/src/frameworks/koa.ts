import type { Context } from 'koa';
import type { IdempotencyStore } from '../engine/store.js';
import type { RequestIdempotency } from '../http/exchange.js';
import { type KoaLikeContext, type KoaLikeMiddleware, koaIdempotent as onAnyContext } from '../http/koa.js';
import type { IdempotentOptions } from '../http/options.js';

declare module 'koa' {
  interface ExtendableContext {
    /** Key, checkpoints and transaction of this request. There once `koaIdempotent` has run on one that has a key. */
    idempotency?: RequestIdempotency;
  }
}

/**
 * `koaIdempotent` of the package, whose `scope` is given Koa's own `Context`. Middleware finds `ctx.idempotency`.
 * @throws ERR_CONFIG naming the option that is wrong
 */
export const koaIdempotent: <
  Ctx extends KoaLikeContext = Context,
  S extends IdempotencyStore = IdempotencyStore,
>(
  options: IdempotentOptions<Ctx, S>,
) => KoaLikeMiddleware = onAnyContext;
