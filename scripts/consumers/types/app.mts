import { clients } from '@spillway/client';
import { createSpillway } from '@spillway/core';
import { expressSpillway, withFallback } from '@spillway/express';
import { manualClock, scriptedTransport, withForcedOpen } from '@spillway/testing';
import express from 'express';

const spillway = createSpillway(
  {
    dependencies: {
      quotes: { baseUrl: 'http://quotes.internal', deadline: '2s', fallback: () => ({ price: null }) },
      db: { breaker: { window: { calls: 50 } } },
    },
  },
  { clock: manualClock(), transports: { quotes: scriptedTransport([503, 200]) } },
);

const app = express();
app.use(expressSpillway(spillway));
app.get(
  '/price/:symbol',
  withFallback(
    async (req, res) => {
      res.json(await req.spillway.client('quotes').get('v1').json());
    },
    (failure, _req, res) => {
      res.status(failure.status).json({ code: failure.code });
    },
  ),
);

const quote: { price: number | null } = await clients(spillway)('quotes').get('v1').json();
const row: string = await spillway.dependency('db').call(({ signal }) => String(signal.aborted));
const inside: number = await withForcedOpen(spillway, 'quotes', () => 1);
console.log(quote.price, row, inside);

// @ts-expect-error: no dependency of that name
clients(spillway)('qoutes');
// @ts-expect-error: no dependency of that name
withForcedOpen(spillway, 'qoutes', () => 1);
// @ts-expect-error: a misspelt option
createSpillway({ dependencies: { quotes: { brekaer: false } } });
