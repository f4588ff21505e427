import { createSpillway } from '@spillway/core';
import { expressSpillway, problemDetails, withFallback } from '@spillway/express';
import { prometheus } from '@spillway/telemetry/prometheus';
import express from 'express';
import { announce } from './processes/announce.js';
import { QUOTES_POLICY } from './scenario.js';
import { tellTraces } from './traces.js';

const spillway = createSpillway({
  service: 'storefront',
  dependencies: {
    quotes: { baseUrl: process.env['QUOTES_URL'] ?? 'http://127.0.0.1:4000', ...QUOTES_POLICY },
  },
});

if (process.env['TRACES'] === '1') tellTraces(spillway);

const app = express();
// before the gate: whoever looks during an overload must not be refused
app.get('/metrics', prometheus(spillway).handler);
app.use(expressSpillway(spillway));
app.get<{ symbol: string }>(
  '/price/:symbol',
  withFallback(
    async (req, res) => {
      const symbol = encodeURIComponent(req.params.symbol);
      res.json(await req.spillway.client('quotes').get(`v1/${symbol}`).json());
    },
    (failure, req, res) => {
      res.json({ symbol: req.params.symbol, price: null, degraded: true, because: failure.code });
    },
  ),
);
app.use(problemDetails());

announce(app.listen(0, '127.0.0.1'));
