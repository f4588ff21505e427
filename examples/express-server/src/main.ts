// A guarded Express server: curl -i localhost:3000/price/ACME
import { createSpillway } from '@spillway/core';
import { expressSpillway, problemDetails, withFallback } from '@spillway/express';
import express from 'express';

const PORT = Number(process.env['PORT'] ?? 3000);

const spillway = createSpillway({
  service: 'prices',
  inbound: { deadline: { max: '10s' } },
  dependencies: { quotes: { baseUrl: process.env['QUOTES_URL'] ?? 'http://127.0.0.1:9', deadline: '1s' } },
});

const app = express();
app.use(expressSpillway(spillway, { exempt: ['/health'] }));

app.get(
  '/price/:symbol',
  withFallback(
    async (req, res) => {
      const path = `v1/${encodeURIComponent(req.params['symbol'] ?? '')}`;
      res.json(await req.spillway.client('quotes').get(path).json());
    },
    (_failure, _req, res) => {
      res.json({ price: null, degraded: true });
    },
  ),
);

app.get('/health', (_req, res) => {
  res.json(spillway.health());
});

app.use(problemDetails());

const server = app.listen(PORT, '127.0.0.1', () => console.log(`http://127.0.0.1:${PORT}/price/ACME`));

process.once('SIGTERM', async () => {
  await spillway.drain({ within: '5s' });
  spillway.close();
  server.close();
});
