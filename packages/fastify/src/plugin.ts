import {
  type EntryOptions,
  entryReader,
  type InboundRequest,
  type RouteSettings,
  routeSettings,
  runInContext,
  type Spillway,
} from '@spillway/core';
import type {
  FastifyInstance,
  FastifyPluginCallback,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { SpillwayRouteConfig } from './augment.js';
import { guardHandler, isGuarded } from './guarded-handler.js';
import { takeOver } from './late-reply.js';
import { RequestSpillway } from './request-spillway.js';
import { type RouteFallbackOptions, withFallback } from './with-fallback.js';

type AnySpillway = Spillway<Record<string, unknown>>;

export interface FastifySpillwayOptions extends EntryOptions<FastifyRequest> {
  /** Made by `createSpillway`. */
  readonly spillway: Pick<AnySpillway, 'service' | 'inbound' | 'context' | 'close'>;
  /** Close the spillway when this Fastify closes. Default true; false where others use it too. */
  readonly close?: boolean;
}

/**
 * Guards a Fastify application: reads deadlines, refuses what is over the limit, answers 504 in time, and gives
 * handlers `request.spillway`. Register it before the routes and hooks that should be guarded. Routes set their own
 * `config: { spillway: { deadline, priority, exempt, fallback, mode, onDisconnect, covers } }`.
 * @example await fastify.register(fastifySpillway, { spillway });
 */
export const fastifySpillway: FastifyPluginCallback<FastifySpillwayOptions> = fastifyPlugin(install, {
  fastify: '5.x',
  name: '@spillway/fastify',
});

/** Settings of routes, by their `config.spillway`. */
type Known = WeakMap<SpillwayRouteConfig, RouteSettings>;

function install(fastify: FastifyInstance, options: FastifySpillwayOptions, done: () => void): void {
  const { spillway, close = true } = options;
  const { inbound, context } = spillway;
  const entryOf = entryReader(options, pathOf);
  const known: Known = new WeakMap();
  let isConfigured = false;

  fastify.decorateRequest('spillway');
  fastify.addHook('onRoute', (route) => {
    isConfigured = guardRoute(route, known) || isConfigured;
  });
  fastify.addHook('onRequest', (request, reply, next) => {
    const route = isConfigured ? settingsOf(request, known) : undefined;
    const entry = route === undefined ? entryOf?.(request) : { ...entryOf?.(request), route };
    const entered = inbound.enter(request.raw, reply.raw, entry);
    // which dependencies there are is known to the type of this spillway alone
    request.spillway = new RequestSpillway(spillway as AnySpillway, entered);
    entered.onAnswered = () => takeOver(reply, entered);
    // a guard in front let it in, and a hook in front of this one took until its deadline
    if (entered.answeredForHandler) takeOver(reply, entered);
    else if (entered.decision === 'admitted') runInContext(context, entered, next);
    else decide(entered, reply, () => runInContext(context, entered, next));
  });
  if (close) {
    fastify.addHook('onClose', (_instance, closed) => {
      spillway.close();
      closed();
    });
  }
  done();
}

/** Of a request that was not let in at once. */
function decide(entered: InboundRequest, reply: FastifyReply, proceed: () => void): void {
  if (entered.decision === 'refused') {
    reply.hijack();
    return;
  }
  // a promise goes on in the context of this request, not of the one whose place it takes
  const decided = new Promise<boolean>((resolve) => entered.whenDecided(resolve));
  decided.then((isAdmitted) => (isAdmitted ? proceed() : reply.hijack()));
}

/** Validates what a route says of itself, and guards its handler. @returns whether it said anything */
function guardRoute(route: RouteOptions, known: Known): boolean {
  // the route of HEAD comes with the handler of GET
  if (isGuarded(route.handler)) return false;
  const config = route.config?.spillway;
  route.handler = guardHandler(
    config === undefined ? route.handler : configure(route.handler, config, known),
  );
  return config !== undefined;
}

function configure(
  handler: RouteOptions['handler'],
  config: SpillwayRouteConfig,
  known: Known,
): RouteOptions['handler'] {
  const { fallback, timeoutMs, mark, ...settings } = config;
  known.set(config, routeSettings(settings));
  if (fallback === undefined) return handler;
  const options: RouteFallbackOptions = {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(mark !== undefined && { mark }),
  };
  return withFallback(handler, fallback, options);
}

function settingsOf(request: FastifyRequest, known: Known): RouteSettings | undefined {
  // an unknown URL has no route, and its config may be missing (C-070)
  const config = request.routeOptions.config?.spillway;
  return config === undefined ? undefined : known.get(config);
}

function pathOf({ url }: FastifyRequest): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
