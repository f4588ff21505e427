import asyncHooks from 'node:async_hooks';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';

it('creates no async hook, neither to load nor to serve', async () => {
  let created = 0;
  const { createHook } = asyncHooks;
  asyncHooks.createHook = (callbacks) => {
    created++;
    return createHook(callbacks);
  };
  try {
    const { fastifyAdapter: adapter } = await import('./support/adapter.js');
    const { createSpillway } = await import('@spillway/core');
    const spillway = createSpillway<Record<string, unknown>>({ service: 'test', dependencies: { one: {} } });
    const handler = async ({
      spillway: own,
      answer,
    }: Parameters<Parameters<typeof adapter.start>[0]['routes'][0]['handler']>[0]) => {
      await own.dependency('one').call(() => 1);
      answer(200, { ok: true });
    };
    const running = await adapter.start({ spillway, routes: [{ method: 'GET', path: '/', handler }] });
    const { port } = running.server.address() as AddressInfo;
    const status = await new Promise((resolve) => {
      get({ port, host: '127.0.0.1', agent: false }, (res) => {
        res.resume();
        res.once('end', () => resolve(res.statusCode));
      });
    });
    await running.close();
    expect(status).toBe(200);
    expect(created).toBe(0);
    // the count counts: a namespace of cls-hooked is made of them
    const { createNamespace } = await import('cls-hooked');
    createNamespace('counted');
    expect(created).toBeGreaterThan(0);
  } finally {
    asyncHooks.createHook = createHook;
  }
}, 60_000);
