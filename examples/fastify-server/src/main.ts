// A guarded Fastify server: curl -i localhost:3000/price/ACME
import { createSpillway } from '@spillway/core';
import { fastifySpillway, problemDetails } from '@spillway/fastify';
import fastify from 'fastify';

const PORT = Number(process.env['PORT'] ?? 3000);

const spillway = createSpillway({
  service: 'prices',
  inbound: { deadline: { max: '10s' } },
  dependencies: { quotes: { baseUrl: process.env['QUOTES_URL'] ?? 'http://127.0.0.1:9', deadline: '1s' } },
});

const app = fastify();
await app.register(fastifySpillway, { spillway });
app.setErrorHandler(problemDetails());

app.get<{ Params: { symbol: string } }>(
  '/price/:symbol',
  { config: { spillway: { deadline: '2s', fallback: () => ({ price: null, degraded: true }) } } },
  (request) =>
    request.spillway
      .client('quotes')
      .get(`v1/${encodeURIComponent(request.params.symbol)}`)
      .json(),
);

app.get('/health', { config: { spillway: { exempt: true } } }, () => spillway.health());

console.log(`${await app.listen({ port: PORT, host: '127.0.0.1' })}/price/ACME`);

process.once('SIGTERM', async () => {
  await spillway.drain({ within: '5s' });
  // closes the spillway too
  await app.close();
});
