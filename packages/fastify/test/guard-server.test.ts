import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import { createSpillway, guardServer } from '@spillway/core';
import fastify from 'fastify';
import { fastifySpillway } from '../src/index.js';

it('a request that was answered 504 while a hook in front of the plugin took its time runs no handler', async () => {
  const spillway = createSpillway<Record<string, unknown>>({ service: 'test' });
  const app = fastify();
  let runs = 0;
  let hooked: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    hooked = resolve;
  });
  app.addHook('onRequest', async () => {
    await new Promise((resolve) => setTimeout(resolve, 80));
    hooked();
  });
  await app.register(fastifySpillway, { spillway });
  app.get('/', () => `${++runs}`);
  guardServer(app.server, spillway);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const status = await new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', agent: false, headers: { 'x-request-budget-ms': '20' } };
    get(options, (res) => res.resume().once('end', () => resolve(res.statusCode))).once('error', reject);
  });
  expect(status).toBe(504);
  await passed;
  await app.close();
  expect(runs).toBe(0);
  expect(spillway.snapshot().inbound.inFlight).toBe(0);
});
