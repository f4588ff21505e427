import { createSpillway, type RequestCall, type SpillwayError } from '@spillway/core';
import {
  fastifySpillway,
  problemDetails,
  type RequestSpillway,
  type SpillwayRouteConfig,
  withFallback,
} from '@spillway/fastify';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';

/** True when A and B are the same type. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles for `true` alone. */
declare function holds<T extends true>(): T;

// never called: compiling is the test
export async function requestsAndRoutesAreTyped(): Promise<FastifyInstance> {
  const spillway = createSpillway({ dependencies: { quotes: { baseUrl: 'http://quotes' } } });
  const app = fastify();
  await app.register(fastifySpillway, { spillway, exempt: ['/health'], priority: () => 'critical' });
  // @ts-expect-error what guards must be said
  await app.register(fastifySpillway, {});
  // @ts-expect-error no class of that name
  await app.register(fastifySpillway, { spillway, priority: () => 'urgent' });
  app.setErrorHandler(problemDetails());

  app.get('/', async (request) => {
    holds<Equal<typeof request.spillway, RequestSpillway>>();
    holds<Equal<typeof request.spillway.call, RequestCall>>();
    const left: number = request.spillway.remainingMs();
    // @ts-expect-error nothing of that name
    request.spillway.remaning();
    return left;
  });

  const fallback = (failure: SpillwayError, request: FastifyRequest, reply: FastifyReply) =>
    reply.send({ code: failure.code, left: request.spillway.remainingMs() });
  const config = { spillway: { deadline: '2s', priority: 'sheddable', exempt: false, fallback } } as const;
  app.get('/price', { config }, async () => ({ price: 1 }));
  // @ts-expect-error a duration is a string with a unit, or a number of ms
  app.get('/wrong', { config: { spillway: { deadline: true } } }, async () => 'no');
  // Fastify takes more in a route's config than it knows: our own type is the one that finds a misspelt option
  const typed: SpillwayRouteConfig = { deadline: '2s' };
  // @ts-expect-error no option of that name
  const misspelt: SpillwayRouteConfig = { dedline: '2s' };
  app.get('/typed', { config: { spillway: typed } }, async () => misspelt.deadline ?? 'none');

  app.get<{ Params: { symbol: string } }>(
    '/quote/:symbol',
    withFallback(
      async (request: FastifyRequest<{ Params: { symbol: string } }>) => request.params.symbol,
      (failure, request) => ({ symbol: request.params.symbol, code: failure.code }),
    ),
  );
  return app;
}
