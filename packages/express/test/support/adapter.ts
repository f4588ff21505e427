import type { AddressInfo } from 'node:net';
import type { SpillwayError } from '@spillway/core';
import type {
  Exchange,
  RunningServer,
  ServerAdapter,
  ServerPlan,
  SuiteRoute,
} from '@spillway/testing/conformance';
import type express from 'express';
import type { Express, NextFunction, Request, RequestHandler, Response } from 'express';
import multer from 'multer';
import { expressSpillway, problemDetails, spillwayRoute } from '../../src/index.js';

/** Express as the conformance suite drives it. */
export function expressAdapter(name: string, make: typeof express): ServerAdapter {
  return { name, start: (plan) => start(make, plan) };
}

async function start(make: typeof express, plan: ServerPlan): Promise<RunningServer> {
  const app = make();
  const { exempt, priority, problemDetails: details, onError, routes, spillway } = plan;
  app.use(expressSpillway(spillway, { ...(exempt && { exempt }), ...(priority && { priority }) }));
  for (const route of routes) mount(app, make, route);
  if (details === true) app.use(problemDetails());
  if (onError !== undefined) {
    app.use((error: unknown, req: Request, res: Response, _next: NextFunction) =>
      onError(error, exchangeOf(req, res)),
    );
  }
  const server = app.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, listener: app, logs: [], close: () => closed(server) };
}

function mount(app: Express, make: typeof express, route: SuiteRoute): void {
  const { method, path, body, options, fallback, handler } = route;
  const stack: RequestHandler[] = [];
  if (body === 'json') stack.push(make.json({ limit: '2mb' }));
  if (body === 'multipart') stack.push(multer({ storage: multer.memoryStorage() }).any());
  const run: RequestHandler = async (req, res, next) => {
    try {
      await handler(exchangeOf(req, res));
    } catch (error) {
      // Express 4 does not look at promises
      next(error);
    }
  };
  if (fallback !== undefined) {
    const answer = (failure: SpillwayError, req: Request, res: Response) =>
      fallback(failure, exchangeOf(req, res));
    stack.push(spillwayRoute({ ...options, fallback: answer }, run));
  } else stack.push(...(options === undefined ? [] : [spillwayRoute(options)]), run);
  app[method === 'GET' ? 'get' : 'post'](path, ...stack);
}

function exchangeOf(req: Request, res: Response): Exchange {
  return {
    req,
    res,
    spillway: req.spillway,
    get body() {
      const { files } = req as { files?: unknown[] };
      return files === undefined ? req.body : { fields: Object.keys(req.body).length, files: files.length };
    },
    answer(status, body = null, headers = {}) {
      res.status(status).set(headers);
      if (typeof body === 'object' && body !== null && 'pipe' in body) {
        const stream = body as NodeJS.ReadableStream & { destroy(): void };
        // what Express leaves to its users: the two ends of a stream end together
        stream.once('error', () => res.destroy());
        res.once('close', () => stream.destroy());
        stream.pipe(res);
        stream.once('data', () => res.closed && stream.destroy());
      } else if (body === null) res.end();
      else res.send(body);
    },
    redirect: (url) => res.redirect(url),
    takeOver: () => res,
  };
}

function closed(server: {
  close(done: () => void): unknown;
  address(): AddressInfo | string | null;
}): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
