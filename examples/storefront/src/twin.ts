import express, { type ErrorRequestHandler } from 'express';
import got, { RequestError } from 'got';
import { announce } from './processes/announce.js';
import { RETRIES } from './scenario.js';

/** got calls nothing a second time for a delay of 0, and 0 is what it proposes when it would not retry. */
function delayMs(attempt: number, proposed: number): number {
  if (proposed === 0) return 0;
  const { base, factor, cap } = RETRIES.backoff;
  return Math.max(1, Math.random() * Math.min(cap, base * factor ** (attempt - 1)));
}

const quotes = got.extend({
  prefixUrl: process.env['QUOTES_URL'] ?? 'http://127.0.0.1:4000',
  timeout: { request: RETRIES.attemptTimeoutMs },
  retry: {
    limit: RETRIES.attempts - 1,
    calculateDelay: ({ attemptCount, computedValue }) => delayMs(attemptCount, computedValue),
  },
});

const app = express();
app.get('/price/:symbol', async (req, res) => {
  res.json(await quotes.get(`v1/${encodeURIComponent(req.params.symbol)}`).json());
});

const badGateway: ErrorRequestHandler = (error, _req, res, next) => {
  if (!(error instanceof RequestError) || res.headersSent) next(error);
  else res.status(502).json({ error: error.code });
};
app.use(badGateway);

announce(app.listen(0, '127.0.0.1'));
