import { fastifySpillway, problemDetails } from '@spillway/fastify';
import fastify, { type FastifyRequest, type onRequestAsyncHookHandler } from 'fastify';
import { DASHBOARD, type Handler, type MakeServer, METRICS, stale } from './site.js';

export const onFastify: MakeServer = async ({ spillway, metrics, dashboard }) => {
  const app = fastify();
  app.route({ method: 'GET', url: METRICS, ...plain(metrics) });
  for (const url of [DASHBOARD, `${DASHBOARD}/*`]) {
    app.route({ method: ['GET', 'POST'], url, ...plain(dashboard) });
  }
  // a context of its own: what stands outside is not gated
  await app.register(async (gated) => {
    await gated.register(fastifySpillway, { spillway });
    gated.setErrorHandler(problemDetails());
    gated.get<{ Params: { symbol: string } }>(
      '/price/:symbol',
      {
        config: {
          spillway: {
            fallback: (failure, request) => stale(symbolOf(request), failure.code),
          },
        },
      },
      (request) =>
        request.spillway
          .client('quotes')
          .get(`v1/${encodeURIComponent(request.params.symbol)}`)
          .json(),
    );
  });
  await app.ready();
  return app.server;
};

/** They read and answer on Node's own objects: at once, before Fastify reads the body. */
function plain(handler: Handler): { onRequest: onRequestAsyncHookHandler; handler: () => void } {
  return {
    onRequest: async (request, reply) => {
      reply.hijack();
      handler(request.raw, reply.raw);
    },
    handler: () => undefined,
  };
}

function symbolOf({ params }: FastifyRequest): string {
  return (params as { symbol: string }).symbol;
}
