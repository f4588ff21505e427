import { createServer } from 'node:http';
import { koaSpillway, problemDetails, withFallback } from '@spillway/koa';
import Koa, { type Context } from 'koa';
import { DASHBOARD, type MakeServer, METRICS, stale } from './site.js';

const PRICE = '/price/';

const price = withFallback(
  async (ctx: Context) => {
    ctx.body = await ctx.spillway
      .client('quotes')
      .get(`v1/${symbolOf(ctx)}`)
      .json();
  },
  (failure, ctx) => {
    ctx.body = stale(symbolOf(ctx), failure.code);
  },
);

/** As it stands in the path: encoded. */
function symbolOf({ path }: Context): string {
  return path.slice(PRICE.length);
}

export const onKoa: MakeServer = async ({ spillway, metrics, dashboard }) => {
  const app = new Koa();
  app.use((ctx, next) => {
    const plain = ctx.path === METRICS ? metrics : ctx.path.startsWith(DASHBOARD) ? dashboard : undefined;
    if (plain === undefined) return next();
    // they answer on Node's own response
    ctx.respond = false;
    plain(ctx.req, ctx.res);
    return undefined;
  });
  app.use(koaSpillway(spillway));
  app.use(problemDetails());
  app.use((ctx, next) => (ctx.path.startsWith(PRICE) ? price(ctx, next) : next()));
  return createServer(app.callback());
};
