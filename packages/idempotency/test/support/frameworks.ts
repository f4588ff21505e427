import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import express from 'express';
import fastify, { type FastifyInstance } from 'fastify';
import Koa from 'koa';
import { idempotent } from '../../src/frameworks/express.js';
import { fastifyIdempotent } from '../../src/frameworks/fastify.js';
import { koaIdempotent } from '../../src/frameworks/koa.js';
import type { RequestIdempotency } from '../../src/http/exchange.js';
import type { IdempotentOptions } from '../../src/index.js';

// It comes without types of its own.
const require = createRequire(import.meta.url);

/** What a route's handler gets, whatever the framework. */
export interface Exchange {
  readonly idempotency: RequestIdempotency | undefined;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: unknown;
  /** Answers the framework's own way. */
  send(status: number, headers: Record<string, string | string[]>, body?: unknown): unknown;
  /** Leaves the response to node's own methods. */
  raw(use: (res: ServerResponse) => void): unknown;
}

export type Handler = (exchange: Exchange) => unknown;

// biome-ignore lint/suspicious/noExplicitAny: the frameworks' requests differ
type Options = IdempotentOptions<any>;

export interface RunningApp {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

export interface Framework {
  readonly name: string;
  /** Serves every method and path with `handler`, behind the middleware; `parse`: a JSON parser runs before it. */
  serve(options: Options, handler: Handler, parse?: 'before' | 'after' | 'none'): Promise<RunningApp>;
}

async function listening(server: Server): Promise<RunningApp> {
  // on a busy machine a client may send on a connection just when the server ends it for being idle
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type ExpressFactory = typeof express;

function expressFramework(name: string, make: ExpressFactory): Framework {
  return {
    name,
    async serve(options, handler, parse = 'before') {
      const app = make();
      if (parse === 'before') app.use(make.json({ limit: '50mb' }), make.text({ limit: '50mb' }));
      app.use(idempotent(options));
      if (parse === 'after') app.use(make.json({ limit: '50mb' }), make.text({ limit: '50mb' }));
      app.use((req, res, next) => {
        const exchange: Exchange = {
          idempotency: req.idempotency,
          req,
          res,
          body: req.body,
          send: (status, headers, body) => {
            res.status(status).set(headers);
            if (body === undefined) res.end();
            else res.send(body);
          },
          raw: (use) => use(res),
        };
        Promise.resolve(exchange).then(handler).catch(next);
      });
      return listening(createServer(app));
    },
  };
}

const koaFramework: Framework = {
  name: 'koa',
  async serve(options, handler, parse = 'before') {
    const app = new Koa();
    app.silent = true;
    const parser = async (ctx: Koa.Context, next: Koa.Next) => {
      const chunks: Buffer[] = [];
      for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
      const text = Buffer.concat(chunks).toString();
      if (text !== '') {
        const isJson = ctx.is('json') !== false;
        (ctx.request as unknown as { body: unknown }).body = isJson ? JSON.parse(text) : text;
      }
      await next();
    };
    if (parse === 'before') app.use(parser);
    app.use(koaIdempotent(options));
    if (parse === 'after') app.use(parser);
    app.use(async (ctx) => {
      await handler({
        idempotency: ctx.idempotency,
        req: ctx.req,
        res: ctx.res,
        body: (ctx.request as unknown as { body: unknown }).body,
        send: (status, headers, body) => {
          ctx.status = status;
          ctx.body = body ?? null;
          ctx.status = status;
          ctx.set(headers);
        },
        raw: (use) => {
          ctx.respond = false;
          // Koa starts at 404.
          ctx.res.statusCode = 200;
          use(ctx.res);
        },
      });
    });
    return listening(createServer(app.callback()));
  },
};

const fastifyFramework: Framework = {
  name: 'fastify',
  async serve(options, handler) {
    const app: FastifyInstance = fastify({ bodyLimit: 50 * 1024 * 1024, exposeHeadRoutes: false });
    await app.register(fastifyIdempotent, { ...options, all: true });
    app.route({
      method: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'],
      url: '/*',
      handler: async (request, reply) => {
        await handler({
          idempotency: request.idempotency ?? undefined,
          req: request.raw,
          res: reply.raw,
          body: request.body,
          send: (status, headers, body) => {
            reply.code(status).headers(headers);
            reply.send(body);
          },
          raw: (use) => {
            reply.hijack();
            use(reply.raw);
          },
        });
        return reply;
      },
    });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as { port: number };
    return {
      url: `http://127.0.0.1:${port}`,
      port,
      close: async () => {
        app.server.closeAllConnections();
        await app.close();
      },
    };
  },
};

export const FRAMEWORKS: readonly (readonly [string, Framework])[] = [
  ['express 5', expressFramework('express 5', express)],
  ['express 4', expressFramework('express 4', require('express4') as ExpressFactory)],
  ['koa', koaFramework],
  ['fastify', fastifyFramework],
];
