const express = require('express');
const { createSpillway } = require('@spillway/core');
const { expressSpillway, withFallback } = require('@spillway/express');

function createApp(baseUrl) {
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
  app.get('/strict/:symbol', async (req, res, next) => {
    try {
      res.json(await req.spillway.client('quotes').get(`v1/${req.params.symbol}`).json());
    } catch (error) {
      next(error);
    }
  });
  return { app, spillway };
}

module.exports = { createApp };
