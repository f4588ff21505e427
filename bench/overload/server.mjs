// A server whose handler burns 4 ms of processor time: FRAMEWORK=express|fastify, GUARD=bare|peer|spillway|guardServer.
import { createSpillway, guardServer } from '@spillway/core';

const { FRAMEWORK, GUARD } = process.env;
const WORK_MS = 4;
const isOurs = GUARD === 'spillway' || GUARD === 'guardServer';
const spillway = isOurs
  ? createSpillway({ service: 'bench', inbound: { trust: ['127.0.0.0/8', '::1'] } })
  : undefined;

/** Yields once, as a handler that awaits something does, and then computes. */
async function work() {
  await new Promise(setImmediate);
  const end = performance.now() + WORK_MS;
  while (performance.now() < end);
  return { ok: true };
}

const SERVERS = {
  async express() {
    const { default: express } = await import('express');
    const app = express();
    if (GUARD === 'peer') {
      const { default: protect } = await import('overload-protection');
      app.use(protect('express', { production: true, maxEventLoopDelay: 42, clientRetrySecs: 1 }));
    }
    if (isOurs) app.use((await import('@spillway/express')).expressSpillway(spillway));
    app.get('/', async (_req, res) => res.json(await work()));
    return app.listen(0, '127.0.0.1');
  },
  async fastify() {
    const { default: fastify } = await import('fastify');
    const app = fastify();
    if (GUARD === 'peer') {
      await app.register((await import('@fastify/under-pressure')).default, {
        maxEventLoopDelay: 100,
        sampleInterval: 100,
      });
    }
    if (isOurs) await app.register((await import('@spillway/fastify')).fastifySpillway, { spillway });
    app.get('/', work);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
};

const server = await SERVERS[FRAMEWORK]();
if (GUARD === 'guardServer') guardServer(server, spillway);
const ready = () => process.send(server.address().port);
if (server.listening) ready();
else server.once('listening', ready);
process.once('disconnect', () => process.exit(0));
