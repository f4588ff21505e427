import { createSpillway } from '@spillway/core';
import { dashboard } from '@spillway/dashboard';
import { prometheus } from '@spillway/telemetry/prometheus';
import { onExpress } from './frameworks/express.js';
import { onFastify } from './frameworks/fastify.js';
import { onKoa } from './frameworks/koa.js';
import type { MakeServer } from './frameworks/site.js';
import { announce } from './processes/announce.js';
import { QUOTES_POLICY } from './scenario.js';
import { tellTraces } from './traces.js';

const SERVERS: Readonly<Record<string, MakeServer>> = { express: onExpress, koa: onKoa, fastify: onFastify };

const spillway = createSpillway<{ quotes: unknown }>({
  service: 'storefront',
  dependencies: {
    quotes: { baseUrl: process.env['QUOTES_URL'] ?? 'http://127.0.0.1:4000', ...QUOTES_POLICY },
  },
});

if (process.env['TRACES'] === '1') tellTraces(spillway);

const makeServer = SERVERS[process.env['FRAMEWORK'] ?? 'express'] ?? onExpress;
const server = await makeServer({
  spillway,
  metrics: prometheus(spillway).handler,
  // it listens on this machine alone, so whoever sees it may control it
  dashboard: dashboard(spillway, { authorize: () => true }),
});
announce(server);
server.listen(0, '127.0.0.1');
