import { type RouteOptions, routeSettings, spillwayError } from '@spillway/core';
import type { RequestHandler } from 'express';
import './augment.js';
import { RequestSpillway } from './request-spillway.js';
import { type FallbackHandler, type RouteFallbackOptions, withFallback } from './with-fallback.js';

export interface FallbackRouteOptions extends RouteOptions, RouteFallbackOptions {
  readonly fallback: FallbackHandler;
}

/**
 * Options of one route: a middleware in front of its handler, or with a `fallback` the handler itself.
 * @example app.get('/report', spillwayRoute({ deadline: '2m', priority: 'sheddable' }), report);
 * @example app.get('/price', spillwayRoute({ deadline: '300ms', fallback }, price));
 * @throws SpillwayError ERR_CONFIG naming the option, its value and what is allowed
 */
export function spillwayRoute(options: RouteOptions): RequestHandler;
export function spillwayRoute(options: FallbackRouteOptions, handler: RequestHandler): RequestHandler;
export function spillwayRoute(
  options: RouteOptions | FallbackRouteOptions,
  handler?: RequestHandler,
): RequestHandler {
  const { fallback, timeoutMs, mark, ...route }: Partial<FallbackRouteOptions> = options;
  const settings = routeSettings(route);
  const rest = guarded(handler, fallback, {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(mark !== undefined && { mark }),
  });
  return function routeMiddleware(req, res, next) {
    RequestSpillway.inboundOf(req).applyRoute(settings);
    if (rest === undefined) next();
    else rest(req, res, next);
  };
}

function guarded(
  handler: RequestHandler | undefined,
  fallback: FallbackHandler | undefined,
  options: RouteFallbackOptions,
): RequestHandler | undefined {
  if (handler === undefined && fallback !== undefined) {
    throw spillwayError('ERR_CONFIG', 'spillwayRoute: a fallback needs its handler as the second argument');
  }
  return handler === undefined || fallback === undefined ? handler : withFallback(handler, fallback, options);
}
