import type { Server } from 'node:http';
import multer from '@koa/multer';
import type {
  Exchange,
  RunningServer,
  ServerAdapter,
  ServerPlan,
  SuiteRoute,
} from '@spillway/testing/conformance';
import type Koa from 'koa';
import type { Context, Middleware } from 'koa';
import bodyParser from 'koa-bodyparser';
import { koaSpillway, problemDetails, spillwayRoute } from '../../src/index.js';

/** Koa as the conformance suite drives it. */
export function koaAdapter(name: string, Application: typeof Koa): ServerAdapter {
  return { name, start: (plan) => start(new Application(), plan) };
}

async function start(app: Koa, plan: ServerPlan): Promise<RunningServer> {
  const { exempt, priority, problemDetails: details, onError, routes, spillway } = plan;
  const logs: string[] = [];
  app.on('error', (error: unknown) => logs.push(String(error)));
  const byContext = priority && ((ctx: Context) => priority(ctx.req));
  app.use(koaSpillway(spillway, { ...(exempt && { exempt }), ...(byContext && { priority: byContext }) }));
  if (onError !== undefined) app.use(errorHandler(onError));
  if (details === true) app.use(problemDetails());
  for (const route of routes) mount(app, route);
  const server: Server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    server,
    listener: server,
    logs,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function errorHandler(onError: NonNullable<ServerPlan['onError']>): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      onError(error, exchangeOf(ctx));
    }
  };
}

function mount(app: Koa, { method, path, body, options, fallback, handler }: SuiteRoute): void {
  const stack: Middleware[] = [];
  if (options !== undefined || fallback !== undefined) {
    const answer = fallback && {
      fallback: (failure: never, ctx: Context) => fallback(failure, exchangeOf(ctx)),
    };
    stack.push(spillwayRoute({ ...options, ...answer }));
  }
  if (body === 'json') stack.push(bodyParser({ jsonLimit: '2mb' }));
  if (body === 'multipart')
    stack.push(multer({ storage: multer.memoryStorage() }).any() as unknown as Middleware);
  stack.push(async (ctx) => {
    await handler(exchangeOf(ctx));
  });
  app.use((ctx, next) => {
    const isOurs =
      ctx.path === path && (ctx.method === method || (method === 'GET' && ctx.method === 'HEAD'));
    if (!isOurs) return next();
    const run = (i: number): Promise<unknown> => Promise.resolve(stack[i]?.(ctx, () => run(i + 1)));
    return run(0);
  });
}

function exchangeOf(ctx: Context): Exchange {
  const { req, res } = ctx;
  return {
    req,
    res,
    spillway: ctx.spillway,
    get body() {
      const { files } = ctx as { files?: unknown[] };
      const { body } = ctx.request as unknown as { body: object };
      return files === undefined ? body : { fields: Object.keys(body).length, files: files.length };
    },
    answer(status, body = null, headers = {}) {
      ctx.status = status;
      ctx.set(headers);
      ctx.body = body;
    },
    redirect: (url) => ctx.redirect(url),
    takeOver() {
      ctx.respond = false;
      return res;
    },
  };
}
