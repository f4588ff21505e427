// One server under measurement: FRAMEWORK=express|koa|fastify, GUARD=bare|peer|spillway|ambient. Answers a small JSON.
import { createSpillway } from '@spillway/core';
import { asyncLocal } from '@spillway/core/async-local';

const { FRAMEWORK, GUARD } = process.env;
const body = { ok: true, items: [1, 2, 3] };

function spillway() {
  const options = GUARD === 'ambient' ? { context: asyncLocal() } : {};
  const config = { service: 'bench', inbound: { concurrency: 1000 }, dependencies: { dep: {} } };
  return GUARD === 'spillway' || GUARD === 'ambient' ? createSpillway(config, options) : undefined;
}

async function overloadProtection(framework) {
  const { default: protect } = await import('overload-protection');
  return protect(framework, { production: true, maxEventLoopDelay: 1000 });
}

const SERVERS = {
  async express() {
    const { default: express } = await import('express');
    const app = express();
    if (GUARD === 'peer') app.use(await overloadProtection('express'));
    const ours = spillway();
    if (ours !== undefined) app.use((await import('@spillway/express')).expressSpillway(ours));
    app.get('/', (_req, res) => res.json(body));
    return app.listen(0, '127.0.0.1');
  },
  async koa() {
    const { default: Koa } = await import('koa');
    const app = new Koa();
    if (GUARD === 'peer') app.use(await overloadProtection('koa'));
    const ours = spillway();
    if (ours !== undefined) app.use((await import('@spillway/koa')).koaSpillway(ours));
    app.use((ctx) => {
      ctx.body = body;
    });
    return app.listen(0, '127.0.0.1');
  },
  async fastify() {
    const { default: fastify } = await import('fastify');
    const app = fastify();
    if (GUARD === 'peer') {
      await app.register((await import('@fastify/under-pressure')).default, { maxEventLoopDelay: 1000 });
      await app.register((await import('@fastify/circuit-breaker')).default);
    }
    const ours = spillway();
    if (ours !== undefined) {
      await app.register((await import('@spillway/fastify')).fastifySpillway, { spillway: ours });
    }
    app.get('/', GUARD === 'peer' ? { preHandler: app.circuitBreaker() } : {}, async () => body);
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
};

const server = await SERVERS[FRAMEWORK]();
const ready = () => process.send({ port: server.address().port });
if (server.listening) ready();
else server.once('listening', ready);
process.on('message', () => process.send(process.cpuUsage()));
process.once('disconnect', () => process.exit(0));
