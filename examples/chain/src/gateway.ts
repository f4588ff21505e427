import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expressSpillway } from '@spillway/express';
import express from 'express';
import { type Hop, HopLog, type HopOptions, hopSpillway } from './hop.js';

/** The first server of the chain, on Express. */
export async function startGateway(options: HopOptions): Promise<Hop> {
  const spillway = hopSpillway('gateway', options);
  const log = new HopLog();
  const app = express();
  // Express's own error handler would print every failure
  app.set('env', 'test');
  app.use(expressSpillway(spillway));
  app.get('/', async (req, res) => {
    log.note(req.spillway.deadline.ms);
    res.json({ via: 'gateway', below: await req.spillway.client('next').get('').json() });
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get hits() {
      return log.hits;
    },
    budgets: log.budgets,
    spillway,
    async close() {
      spillway.close();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
