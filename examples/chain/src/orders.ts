import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { koaSpillway } from '@spillway/koa';
import Koa from 'koa';
import { type Hop, HopLog, type HopOptions, hopSpillway } from './hop.js';

/** The second server of the chain, on Koa. */
export async function startOrders(options: HopOptions): Promise<Hop> {
  const spillway = hopSpillway('orders', options);
  const log = new HopLog();
  const app = new Koa();
  app.silent = true;
  app.use(koaSpillway(spillway));
  app.use(async (ctx) => {
    log.note(ctx.spillway.deadline.ms);
    ctx.body = { via: 'orders', below: await ctx.spillway.client('next').get('').json() };
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get hits() {
      return log.hits;
    },
    budgets: log.budgets,
    spillway,
    async close() {
      spillway.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
