export type { IdempotencyEvent } from '@spillway/core';
export type { Ending } from './engine/claim.js';
export { createIdempotency, type Idempotency } from './engine/engine.js';
export type { IdempotencyObserver } from './engine/events.js';
export type { BeginResult, Checkpoints, ClaimRequest } from './engine/machine.js';
export type { EngineOptions } from './engine/options.js';
export type { RunContext, RunOptions, RunResult, TxOf } from './engine/run.js';
export type { IdempotencyStore, TransactionalStore } from './engine/store.js';
export type { TimeBox } from './engine/time-box.js';
export type { RequestIdempotency, TransactionAnswer } from './http/exchange.js';
export { type ExpressLikeMiddleware, idempotent } from './http/express.js';
export {
  type FastifyIdempotentOptions,
  type FastifyLikeInstance,
  type FastifyLikeReply,
  type FastifyLikeRequest,
  type FastifyRouteIdempotent,
  fastifyIdempotent,
} from './http/fastify.js';
export { LONGEST_KEY, parseKey } from './http/key-syntax.js';
export { type KoaLikeContext, type KoaLikeMiddleware, koaIdempotent } from './http/koa.js';
export type { IdempotentOptions } from './http/options.js';
export { PROBLEM_BASE } from './http/problems.js';
