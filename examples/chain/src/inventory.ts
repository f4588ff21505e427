import { fastifySpillway } from '@spillway/fastify';
import fastify from 'fastify';
import { type Hop, HopLog, type HopOptions, hopSpillway } from './hop.js';

/** The third server of the chain, on Fastify. */
export async function startInventory(options: HopOptions): Promise<Hop> {
  const spillway = hopSpillway('inventory', options);
  const log = new HopLog();
  const app = fastify({ forceCloseConnections: true });
  await app.register(fastifySpillway, { spillway });
  app.get('/', async (request) => {
    log.note(request.spillway.deadline.ms);
    return { via: 'inventory', below: await request.spillway.client('next').get('').json() };
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return {
    url,
    get hits() {
      return log.hits;
    },
    budgets: log.budgets,
    spillway,
    close: () => app.close(),
  };
}
