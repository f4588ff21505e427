import { createSpillway } from '@spillway/core';
import { expressSpillway, withFallback } from '@spillway/express';
import express from 'express';

export function createApp(baseUrl) {
  const spillway = createSpillway({
    service: 'shop',
    dependencies: { quotes: { baseUrl, retry: false } },
  });
  const app = express();
  app.use(expressSpillway(spillway));
  app.get(
    '/price/:symbol',
    withFallback(
      async (req, res) => {
        res.json(await req.spillway.client('quotes').get(`v1/${req.params.symbol}`).json());
      },
      (_failure, _req, res) => {
        res.json({ price: null, degraded: true });
      },
    ),
  );
  return { app, spillway };
}
