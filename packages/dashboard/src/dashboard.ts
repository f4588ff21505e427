import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dependency, Spillway } from '@spillway/core';
import { Actions } from './control/actions.js';
import { Control } from './control/control.js';
import { Feed } from './feed/feed.js';
import { type DashboardOptions, readOptions } from './options.js';
import { Aggregator } from './state/aggregator.js';
import { answer, refuse } from './web/answer.js';
import { type Asset, readAssets, sendAsset } from './web/assets.js';

/** A plain request handler, with the means to end it. */
export interface Dashboard {
  (req: IncomingMessage, res: ServerResponse): void;
  /** Pages open now. */
  readonly viewers: number;
  /** Ends every open page's feed. `spillway.close()` does the same. */
  close(): void;
}

/**
 * The live page of a spillway as a request handler: for `http.createServer`, and for the routes of a framework.
 * @example app.use('/spillway', dashboard(spillway));                                  // Express
 * @example router.all(/^\/spillway/, (ctx) => { ctx.respond = false; page(ctx.req, ctx.res); });   // Koa
 * @example
 * const onRequest = async (request, reply) => { reply.hijack(); page(request.raw, reply.raw); };
 * fastify.all('/spillway/*', { onRequest }, () => {});                                 // Fastify
 * @throws SpillwayError ERR_CONFIG naming a wrong option
 */
export function dashboard<F extends Record<string, unknown>>(
  spillway: Spillway<F>,
  options: DashboardOptions = {},
): Dashboard {
  const { authorize, tickMs, historyMs, viewers } = readOptions(options);
  const aggregator = new Aggregator(spillway, tickMs, historyMs);
  const feed = new Feed(aggregator, viewers);
  const actions = new Actions((name) => spillway.dependency(name as keyof F & string) as Dependency<unknown>);
  const control = new Control(actions, authorize, (dependency, text) =>
    aggregator.note({ dependency, kind: 'control', text }),
  );
  const assets = readAssets();
  spillway.onClose(() => feed.close());
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    route(req, res, { assets, feed, control }).catch((error: unknown) => failed(res, error));
  };
  return Object.defineProperties(handle, {
    viewers: { get: () => feed.viewers, enumerable: true },
    close: { value: () => feed.close(), enumerable: true },
  }) as Dashboard;
}

interface Parts {
  readonly assets: ReadonlyMap<string, Asset>;
  readonly feed: Feed;
  readonly control: Control;
}

/** By the last part of the path: where the page is mounted is none of its business. */
async function route(
  req: IncomingMessage,
  res: ServerResponse,
  { assets, feed, control }: Parts,
): Promise<void> {
  const path = pathOf(req);
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === 'control') return control.answer(req, res);
  if (req.method !== 'GET' && req.method !== 'HEAD') {
    refuse(res, 405, 'The page takes GET', { Allow: 'GET, HEAD' });
  } else if (name === 'events') feed.join(req, res);
  else if (name === '') sendAsset(req, res, assets.get('index.html') as Asset);
  else {
    const asset = assets.get(name);
    if (asset !== undefined) sendAsset(req, res, asset);
    else if (name.includes('.')) refuse(res, 404, `The dashboard has no ${name}`);
    else {
      // what the page loads lies beside it, so its own address ends in a slash; the dot keeps a name that looks like
      // a scheme or another host (`https:1`, `\\\\1`) from being one
      answer(res, 308, { Location: `./${name}/` }, '');
    }
  }
}

/** As the browser sees it: Express and others cut off where they mounted us. */
function pathOf(req: IncomingMessage): string {
  const { originalUrl } = req as { originalUrl?: unknown };
  const url = typeof originalUrl === 'string' ? originalUrl : (req.url ?? '/');
  const end = url.search(/[?#]/);
  return end < 0 ? url : url.slice(0, end);
}

/** An `authorize` that throws, as a rule. What went wrong is for the application's log, not for the page. */
function failed(res: ServerResponse, error: unknown): void {
  // by structure: errors of another realm are not `instanceof` ours, and a warning takes only those
  const { message = String(error), stack } = (error ?? {}) as { message?: string; stack?: string };
  process.emitWarning(message, {
    type: 'DashboardWarning',
    ...(stack === undefined ? {} : { detail: stack }),
  });
  if (res.headersSent) res.destroy();
  else refuse(res, 500, 'The dashboard could not answer; its process has a warning that says why');
}
