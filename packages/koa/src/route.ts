import { type RouteOptions, routeSettings, spillwayError } from '@spillway/core';
import type { Context, Middleware, Next } from 'koa';
import './augment.js';
import { RequestSpillway } from './request-spillway.js';
import { type FallbackHandler, type RouteFallbackOptions, withFallback } from './with-fallback.js';

export interface FallbackRouteOptions extends RouteOptions, RouteFallbackOptions {
  readonly fallback: FallbackHandler;
}

/**
 * Options of one route: a middleware in front of its handler. With a `fallback` it guards whatever stands behind it.
 * @example router.get('/report', spillwayRoute({ deadline: '2m', priority: 'sheddable' }), report);
 * @example router.get('/price', spillwayRoute({ deadline: '300ms', fallback }), price);
 * @throws SpillwayError ERR_CONFIG naming the option, its value and what is allowed
 */
export function spillwayRoute(options: RouteOptions | FallbackRouteOptions): Middleware {
  const { fallback, timeoutMs, mark, ...route }: Partial<FallbackRouteOptions> = options;
  const settings = routeSettings(route);
  if (fallback !== undefined && typeof fallback !== 'function') {
    throw spillwayError('ERR_CONFIG', 'spillwayRoute: fallback is a function (failure, ctx, next)');
  }
  const behind = (_ctx: Context, next: Next) => next();
  const guarded =
    fallback &&
    withFallback(behind, fallback, {
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(mark !== undefined && { mark }),
    });
  return function routeMiddleware(ctx, next) {
    RequestSpillway.inboundOf(ctx).applyRoute(settings);
    return guarded === undefined ? next() : guarded(ctx, next);
  };
}
