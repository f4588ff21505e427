import { createServer } from 'node:http';
import { expressSpillway, problemDetails, withFallback } from '@spillway/express';
import express from 'express';
import { DASHBOARD, type MakeServer, METRICS, stale } from './site.js';

export const onExpress: MakeServer = async ({ spillway, metrics, dashboard }) => {
  const app = express();
  app.get(METRICS, metrics);
  app.use(DASHBOARD, dashboard);
  app.use(expressSpillway(spillway));
  app.get<{ symbol: string }>(
    '/price/:symbol',
    withFallback(
      async (req, res) => {
        const symbol = encodeURIComponent(req.params.symbol);
        res.json(await req.spillway.client('quotes').get(`v1/${symbol}`).json());
      },
      (failure, req, res) => {
        res.json(stale(req.params.symbol, failure.code));
      },
    ),
  );
  app.use(problemDetails());
  return createServer(app);
};
