// One server under measurement: FRAMEWORK=express|koa|fastify, GUARD=bare|spillway. Answers a small JSON.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const { FRAMEWORK, GUARD } = process.env;
const example = createRequire(new URL(`../../examples/${FRAMEWORK}-server/package.json`, import.meta.url));
const load = async (name) => import(pathToFileURL(example.resolve(name)).href);
const body = { ok: true, items: [1, 2, 3] };

async function guard(install) {
  if (GUARD === 'bare') return;
  const { createSpillway } = await import('../../packages/core/dist/index.js');
  const spillway = createSpillway({ service: 'bench', inbound: { concurrency: 1000 } });
  await install(await import(`../../packages/${FRAMEWORK}/dist/index.js`), spillway);
}

const SERVERS = {
  async express() {
    const { default: express } = await load('express');
    const app = express();
    await guard(({ expressSpillway }, spillway) => app.use(expressSpillway(spillway)));
    app.get('/', (_req, res) => res.json(body));
    return app.listen(0, '127.0.0.1');
  },
  async koa() {
    const { default: Koa } = await load('koa');
    const app = new Koa();
    await guard(({ koaSpillway }, spillway) => app.use(koaSpillway(spillway)));
    app.use((ctx) => {
      ctx.body = body;
    });
    return app.listen(0, '127.0.0.1');
  },
  async fastify() {
    const { default: fastify } = await load('fastify');
    const app = fastify();
    await guard(({ fastifySpillway }, spillway) => app.register(fastifySpillway, { spillway }));
    app.get('/', async () => body);
    app.listen({ port: 0, host: '127.0.0.1' });
    return app.server;
  },
};

const server = await SERVERS[FRAMEWORK]();
const ready = () => process.send({ port: server.address().port });
if (server.listening) ready();
else server.once('listening', ready);
process.on('message', () => process.send(process.cpuUsage()));
process.once('disconnect', () => process.exit(0));
