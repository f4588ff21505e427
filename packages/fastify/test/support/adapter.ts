import multipart from '@fastify/multipart';
import type { SpillwayError } from '@spillway/core';
import type {
  Exchange,
  RunningServer,
  ServerAdapter,
  ServerPlan,
  SuiteRoute,
} from '@spillway/testing/conformance';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { fastifySpillway, problemDetails } from '../../src/index.js';

/** Fastify as the conformance suite drives it. */
export const fastifyAdapter: ServerAdapter = { name: 'Fastify 5', start };

/** An exchange, and what its handler has answered by returning it. */
interface Returned extends Exchange {
  readonly value: unknown;
}

async function start(plan: ServerPlan): Promise<RunningServer> {
  const { exempt, priority, problemDetails: details, onError, routes, spillway } = plan;
  const logs: string[] = [];
  const stream = { write: (line: string) => void logs.push(line) };
  const app = fastify({
    logger: { level: 'warn', stream },
    bodyLimit: 2_000_000,
    forceCloseConnections: true,
  });
  const byRequest = priority && ((request: FastifyRequest) => priority(request.raw));
  await app.register(fastifySpillway, {
    spillway,
    ...(exempt && { exempt }),
    ...(byRequest && { priority: byRequest }),
  });
  await app.register(multipart);
  if (details === true) app.setErrorHandler(problemDetails());
  if (onError !== undefined) {
    app.setErrorHandler((error, request, reply) => onError(error, exchangeOf(request, reply, 'send')));
  }
  for (const route of routes) mount(app, route);
  await app.listen({ port: 0, host: '127.0.0.1' });
  return { server: app.server, listener: app.server, logs, close: () => app.close() };
}

function mount(app: FastifyInstance, { method, path, body, options, fallback, handler }: SuiteRoute): void {
  const answer = fallback && {
    fallback: (failure: SpillwayError, request: FastifyRequest, reply: FastifyReply) =>
      returned(fallback, failure, exchangeOf(request, reply, 'return')),
  };
  const config =
    options === undefined && fallback === undefined ? {} : { spillway: { ...options, ...answer } };
  app.route({
    method,
    url: path,
    config,
    ...(body === 'multipart' && { preHandler: readParts }),
    // a handler of the suite that is no promise answers by `reply.send`, the others by what they return
    handler(request, reply) {
      const sent = exchangeOf(request, reply, 'return');
      const result = handler(sent);
      if (result === undefined) {
        if (sent.value !== undefined) reply.send(sent.value);
        return undefined;
      }
      return result.then(() => sent.value);
    },
  });
}

async function returned(
  fallback: NonNullable<SuiteRoute['fallback']>,
  failure: SpillwayError,
  exchange: Returned,
): Promise<unknown> {
  await fallback(failure, exchange);
  return exchange.value;
}

async function readParts(request: FastifyRequest): Promise<void> {
  const seen = { fields: 0, files: 0 };
  for await (const part of request.parts()) {
    if (part.type === 'file') {
      seen.files++;
      await part.toBuffer();
    } else seen.fields++;
  }
  request.body = seen;
}

function exchangeOf(request: FastifyRequest, reply: FastifyReply, how: 'send' | 'return'): Returned {
  let value: unknown;
  return {
    req: request.raw,
    res: reply.raw,
    spillway: request.spillway,
    get body() {
      return request.body;
    },
    get value() {
      return value;
    },
    answer(status, body = null, headers = {}) {
      reply.code(status).headers(headers);
      if (how === 'send') reply.send(body ?? '');
      else value = body ?? '';
    },
    redirect(url) {
      reply.redirect(url);
    },
    takeOver() {
      reply.hijack();
      return reply.raw;
    },
  };
}
