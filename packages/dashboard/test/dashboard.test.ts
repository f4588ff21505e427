import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import express from 'express';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import Koa from 'koa';
import { dashboard } from '../src/index.js';
import { ask, cleanUp, readFeed, serve } from './support/site.js';

function page() {
  const spillway = createSpillway({ service: 'shop', dependencies: { quotes: {} } });
  cleanUp(() => spillway.close());
  return dashboard(spillway, { authorize: () => true });
}

async function onFastify(): Promise<number> {
  const handle = page();
  const app = fastify();
  const onRequest = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    handle(request.raw, reply.raw);
  };
  for (const url of ['/ops/spillway', '/ops/spillway/*']) app.all(url, { onRequest }, () => undefined);
  await app.listen({ port: 0, host: '127.0.0.1' });
  cleanUp(() => {
    app.server.closeAllConnections();
    return app.close();
  });
  return (app.server.address() as AddressInfo).port;
}

function onKoa(): Promise<number> {
  const handle = page();
  const app = new Koa();
  app.use((ctx, next) => {
    if (!ctx.path.startsWith('/ops/spillway')) return next();
    ctx.respond = false;
    handle(ctx.req, ctx.res);
  });
  return serve(app.callback());
}

const MOUNTS: readonly [string, () => Promise<number>, string][] = [
  ['its own server', () => serve(page()), ''],
  ['Express', () => serve(express().use('/ops/spillway', page())), '/ops/spillway'],
  [
    'a router of Express',
    () => serve(express().use('/ops', express.Router().use('/spillway', page()))),
    '/ops/spillway',
  ],
  ['Koa', onKoa, '/ops/spillway'],
  ['Fastify', onFastify, '/ops/spillway'],
];

describe.each(MOUNTS)('mounted on %s', (name, mount, base) => {
  test('serves the page, what it loads, and its feed', async () => {
    const port = await mount();
    const html = await ask(port, `${base}/?theme=any`);
    expect(html).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    const loaded = [...html.body.matchAll(/(?:src|href)="([\w.-]+\.(?:js|css|html))"/g)].map(
      ([, file]) => file,
    );
    expect(loaded).toEqual(expect.arrayContaining(['main.js', 'page.css', 'uplot.css', 'reasons.html']));
    for (const file of [...loaded, 'uplot.js', 'help.json']) {
      expect(await ask(port, `${base}/${file}`)).toMatchObject({ status: 200 });
    }
    const reader = await readFeed(port, `${base}/events`);
    await reader.until(1);
    expect(JSON.parse(reader.events[0]?.data ?? '')).toMatchObject({ instance: { service: 'shop' } });
    reader.leave();
  });

  test('takes orders', async () => {
    const port = await mount();
    const headers = { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' };
    const order = JSON.stringify({ dependency: 'quotes', action: 'reset' });
    const answer = await ask(port, `${base}/control`, { method: 'POST', headers }, order);
    expect(answer).toMatchObject({ status: 200, body: '{"done":"reset the breaker"}' });
  });

  test('sends an address without its slash to the one with it', async () => {
    const port = await mount();
    if (base === '') {
      expect(await ask(port, '/spillway')).toMatchObject({
        status: 308,
        headers: { location: './spillway/' },
      });
      return;
    }
    const answer = await ask(port, base);
    expect([name, answer.status, answer.headers.location]).toEqual([name, 308, './spillway/']);
  });
});

describe('what it serves', () => {
  test('lets a page run its own scripts and nothing else', async () => {
    const port = await serve(page());
    for (const path of ['/', '/reasons.html', '/main.js', '/help.json', '/nothing.js']) {
      const { headers } = await ask(port, path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
    }
  });

  test('is sent again only when it has changed', async () => {
    const port = await serve(page());
    const first = await ask(port, '/main.js');
    expect(first.headers['cache-control']).toBe('no-cache');
    const headers = { 'If-None-Match': first.headers.etag as string };
    expect(await ask(port, '/main.js', { headers })).toMatchObject({ status: 304, body: '' });
    expect((await ask(port, '/page.css', { headers })).status).toBe(200);
  });

  test('answers HEAD with headers alone', async () => {
    const port = await serve(page());
    const { status, headers, body } = await ask(port, '/', { method: 'HEAD' });
    expect([status, body]).toEqual([200, '']);
    expect(Number(headers['content-length'])).toBeGreaterThan(1000);
  });

  test('is no file system', async () => {
    const port = await serve(page());
    for (const path of ['/..%2fpackage.json', '/package.json', '/%2e%2e/src/index.ts', '/constructor.js']) {
      expect(await ask(port, path)).toMatchObject({ status: 404 });
    }
  });

  test.each(['/spillway/https:2130706433', '/spillway/\\\\2130706433', '/spillway/javascript:alert(1)'])(
    'never sends a browser elsewhere: %s',
    async (path) => {
      const port = await serve(page());
      const { status, headers } = await ask(port, path);
      const here = `http://127.0.0.1:${port}`;
      expect([status, new URL(String(headers.location), here + path).origin]).toEqual([308, here]);
      expect(headers).toHaveProperty('content-security-policy');
    },
  );

  test('takes GET alone', async () => {
    const port = await serve(page());
    expect(await ask(port, '/', { method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    });
  });
});

test('lets its process end', async () => {
  const spillway = createSpillway({ dependencies: { quotes: {} } });
  const handle = dashboard(spillway);
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const reader = await readFeed((server.address() as AddressInfo).port);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  spillway.close();
  await reader.ended;
  await closed;
  expect(handle.viewers).toBe(0);
});
