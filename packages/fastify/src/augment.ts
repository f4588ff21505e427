import type { RouteOptions } from '@spillway/core';
import type { RequestSpillway } from './request-spillway.js';
import type { FallbackHandler, RouteFallbackOptions } from './with-fallback.js';

/** What a route says of itself under `config.spillway`. */
export interface SpillwayRouteConfig extends RouteOptions, RouteFallbackOptions {
  /** Answers in the place of the route's handler when that fails with one of Spillway's failures, or is late. */
  readonly fallback?: FallbackHandler;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Deadline, clients and dependencies of this request. There once `fastifySpillway` is registered. */
    spillway: RequestSpillway;
  }
  interface FastifyContextConfig {
    spillway?: SpillwayRouteConfig;
  }
}
