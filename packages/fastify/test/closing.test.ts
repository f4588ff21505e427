import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createSpillway, type Spillway } from '@spillway/core';
import fastify, { type FastifyInstance } from 'fastify';
import { fastifySpillway } from '../src/index.js';

describe('a Fastify that closes', () => {
  const make = (): Spillway<Record<string, unknown>> =>
    createSpillway<Record<string, unknown>>({ service: 'test', dependencies: { db: {} } });

  async function serve(
    spillway: Spillway<Record<string, unknown>>,
    close?: boolean,
  ): Promise<FastifyInstance> {
    const app = fastify();
    await app.register(fastifySpillway, { spillway, ...(close !== undefined && { close }) });
    app.get('/', (request) => request.spillway.dependency('db').call(() => 'ok'));
    return app;
  }

  it('closes its spillway with it, once', async () => {
    const spillway = make();
    let ends = 0;
    spillway.onClose(() => ends++);
    const app = await serve(spillway);
    expect((await app.inject('/')).payload).toBe('ok');
    expect(spillway.snapshot().phase).toBe('open');
    await app.close();
    await app.close();
    expect([spillway.snapshot().phase, ends]).toEqual(['closed', 1]);
    await expect(spillway.dependency('db').call(() => 'late')).rejects.toMatchObject({ code: 'ERR_CLOSED' });
  });

  it('leaves one alone that others use too', async () => {
    const spillway = make();
    const [one, other] = [await serve(spillway, false), await serve(spillway, false)];
    await one.close();
    expect(spillway.snapshot().phase).toBe('open');
    expect((await other.inject('/')).payload).toBe('ok');
    await other.close();
    spillway.close();
  });

  it('lets requests finish that are inside, and leaves no place taken', async () => {
    const spillway = make();
    const app = fastify();
    await app.register(fastifySpillway, { spillway });
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    app.get('/', async () => {
      await released;
      return 'finished';
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const answer = new Promise<[number | undefined, string]>((resolve, reject) => {
      get({ port, host: '127.0.0.1', agent: false }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        res.once('end', () => resolve([res.statusCode, text]));
      }).once('error', reject);
    });
    while (spillway.snapshot().inbound.inFlight === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const closed = app.close();
    release();
    expect(await answer).toEqual([200, 'finished']);
    await closed;
    expect(spillway.snapshot()).toMatchObject({
      phase: 'closed',
      inbound: { inFlight: 0, queued: 0, detached: 0 },
    });
  });
});
