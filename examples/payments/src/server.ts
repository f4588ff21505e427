import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { createSpillway } from '@spillway/core';
import { expressSpillway } from '@spillway/express';
import { idempotent } from '@spillway/idempotency/express';
import express, { type NextFunction, type Request, type Response } from 'express';
import type { Ledger } from './ledger.js';

/** Commits, and then loses the answer: what a network does to every payment once. */
function loseFirstAnswers(): (req: Request, res: Response, next: NextFunction) => void {
  const lost = new Set<string>();
  return (req, res, next) => {
    const key = req.get('idempotency-key');
    if (key === undefined || lost.has(key)) return next();
    const { end } = res;
    res.end = ((...args: Parameters<typeof end>) => {
      if (res.statusCode !== 201) return end.apply(res, args);
      lost.add(key);
      req.socket.destroy();
      return res;
    }) as typeof end;
    next();
  };
}

export interface ServerOptions {
  /** Lose the first answer to every key. */
  readonly lossy: boolean;
}

export function paymentServer(ledger: Ledger, { lossy }: ServerOptions): Server {
  const spillway = createSpillway({ service: 'payments' });
  const app = express();
  app.use(expressSpillway(spillway));
  if (lossy) app.use(loseFirstAnswers());
  app.use(express.json());
  app.post(
    '/payments',
    // After authentication: the scope is the merchant, not its token, which may change between two attempts.
    idempotent({
      store: ledger.store,
      required: true,
      lease: '10s',
      retryAfter: '1s',
      storeTimeout: '1s',
      scope: (req) => req.get('x-merchant'),
    }),
    async (req: Request, res: Response) => {
      const { idempotency } = req;
      // `required` lets no POST in without one.
      if (idempotency === undefined) throw new Error('a payment without a key');
      const { account, amount } = req.body as { account?: unknown; amount?: unknown };
      if (typeof account !== 'string' || typeof amount !== 'number' || !(amount > 0)) {
        res.status(400).json({ error: 'account: text; amount: a number above 0' });
        return;
      }
      await ledger.book(idempotency, { id: randomUUID(), account, amount }, (payment) => {
        res.status(201).location(`/payments/${payment.id}`).json(payment);
      });
    },
  );
  app.get('/payments/count', async (_req, res) => {
    res.json({ count: await ledger.count() });
  });
  return createServer(app);
}
