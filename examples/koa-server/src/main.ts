// A guarded Koa server: curl -i localhost:3000/price/ACME
import { createSpillway } from '@spillway/core';
import { koaSpillway, problemDetails, withFallback } from '@spillway/koa';
import Koa, { type Context } from 'koa';

const PORT = Number(process.env['PORT'] ?? 3000);

const spillway = createSpillway({
  service: 'prices',
  inbound: { deadline: { max: '10s' } },
  dependencies: { quotes: { baseUrl: process.env['QUOTES_URL'] ?? 'http://127.0.0.1:9', deadline: '1s' } },
});

const price = withFallback(
  async (ctx: Context) => {
    const symbol = ctx.path.slice('/price/'.length);
    ctx.body = await ctx.spillway
      .client('quotes')
      .get(`v1/${encodeURIComponent(symbol)}`)
      .json();
  },
  (_failure, ctx) => {
    ctx.body = { price: null, degraded: true };
  },
);

const app = new Koa();
app.use(koaSpillway(spillway, { exempt: ['/health'] }));
app.use(problemDetails());
app.use((ctx, next) => {
  if (ctx.path.startsWith('/price/')) return price(ctx, next);
  if (ctx.path === '/health') ctx.body = spillway.health();
  return undefined;
});

const server = app.listen(PORT, '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}/price/ACME`));

process.once('SIGTERM', async () => {
  await spillway.drain({ within: '5s' });
  spillway.close();
  server.close();
});
