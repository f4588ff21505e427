import { createSpillway } from '@spillway/core';
import { expressSpillway, withFallback } from '@spillway/express';
import express from 'express';

// The server of the guide compiles as it stands: route parameters, clients and fallbacks are typed without a hint (this repository alone asks for index access).
export function server(): express.Express {
  const spillway = createSpillway({ dependencies: { quotes: { baseUrl: 'http://quotes.internal' } } });
  const app = express();
  app.use(expressSpillway(spillway));
  app.get(
    '/price/:symbol',
    withFallback(
      async (req, res) => {
        const quotes = req.spillway.client('quotes');
        res.json(await quotes.get(`v1/${encodeURIComponent(req.params['symbol'] ?? '')}`).json());
      },
      (failure, req, res) => {
        res.json({ price: null, degraded: true, symbol: req.params['symbol'], code: failure.code });
      },
    ),
  );
  return app;
}
