import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hop, HopLog } from './hop.js';

/** What the stand-in does with a call: fails it, answers it, or never answers. */
export type DatabaseMood = 'failing' | 'well' | 'silent';

export interface Database extends Hop {
  /** When the connection of a call went away before its answer, on the clock of `performance.now()`. */
  readonly lostAt: readonly number[];
}

/** Stands in for a database at the end of the chain. It knows nothing of Spillway. */
export async function startDatabase(mood: DatabaseMood = 'failing'): Promise<Database> {
  const log = new HopLog();
  const lostAt: number[] = [];
  const server = createServer((req, res) => {
    const budget = req.headers['x-request-budget-ms'];
    log.note(typeof budget === 'string' ? Number(budget) : undefined);
    res.once('close', () => {
      if (!res.writableFinished) lostAt.push(performance.now());
    });
    if (mood === 'silent') return;
    res.statusCode = mood === 'well' ? 200 : 500;
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ via: 'database', mood }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get hits() {
      return log.hits;
    },
    budgets: log.budgets,
    lostAt,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
