import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { IdempotencyStore } from '../engine/store.js';
import type { RequestIdempotency } from '../http/exchange.js';
import {
  type FastifyIdempotentOptions as OptionsOn,
  fastifyIdempotent as onAnyInstance,
  type FastifyRouteIdempotent as RouteOn,
} from '../http/fastify.js';

export type FastifyIdempotentOptions = OptionsOn<IdempotencyStore, FastifyRequest>;

/** On a route's `config.idempotent`: what is different there, or just `true`. */
export type FastifyRouteIdempotent = RouteOn<IdempotencyStore, FastifyRequest>;

declare module 'fastify' {
  interface FastifyRequest {
    /** Key, checkpoints and transaction of this request; null on one without a key. */
    idempotency: RequestIdempotency | null;
  }
  interface FastifyContextConfig {
    /** Is an Idempotency-Key heard on this route, and how? */
    idempotent?: FastifyRouteIdempotent;
  }
}

// `never`: of its options, `scope` is called with the requests of the same instance, whatever they have.
const plugin: FastifyPluginAsync<never> = onAnyInstance;

/**
 * `fastifyIdempotent` of the package, whose `scope` is given Fastify's own `FastifyRequest`. Handlers find
 * `request.idempotency`; routes say `config: { idempotent: true }`, or what is different there.
 * @throws ERR_CONFIG naming the option that is wrong
 */
export const fastifyIdempotent: FastifyPluginAsync<FastifyIdempotentOptions> =
  plugin as FastifyPluginAsync<FastifyIdempotentOptions>;
