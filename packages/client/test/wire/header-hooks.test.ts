import { describe, expect, test } from '@jest/globals';
import type { HeaderHook, HeadersOut } from '@spillway/core';
import { scene, serve, wire } from '../support/scene.js';

const marking: HeaderHook = {
  names: ['x-mark'],
  add: (headers, id, attempt) => {
    headers['x-mark'] = `${id}/${attempt}`;
  },
};

describe('a header hook', () => {
  test('adds to every attempt, told by the operation its events name and the number of the attempt', async () => {
    const { client, spillway, server, events } = await scene([503, 503, 200, 200]);
    spillway.headerHooks.use(marking);
    await client.get('v1');
    await client.get('v1');
    const ids = events.flatMap((event) => (event.type === 'operation.start' ? [event.id] : []));
    expect(server.hits.map(({ headers }) => headers['x-mark'])).toEqual([
      `${ids[0]}/1`,
      `${ids[0]}/2`,
      `${ids[0]}/3`,
      `${ids[1]}/1`,
    ]);
  });

  test('that is taken off again adds nothing', async () => {
    const { client, spillway, server } = await scene(200);
    const stop = spillway.headerHooks.use(marking);
    stop();
    await client.get('v1');
    expect(spillway.headerHooks.enabled).toBe(false);
    expect(server.hits[0]?.headers).not.toHaveProperty('x-mark');
  });

  test('that throws is counted, and the request goes out with what the others add', async () => {
    const { client, spillway, server, events } = await scene(200);
    const throwing = {
      names: [],
      add: (_headers: HeadersOut) => {
        throw new Error('no trace');
      },
    };
    spillway.headerHooks.use(throwing);
    spillway.headerHooks.use(marking);
    await client.get('v1');
    expect(server.hits[0]?.headers['x-mark']).toMatch(/\/1$/);
    expect(spillway.snapshot().observerFailures).toBe(1);
    expect(events.filter(({ type }) => type === 'observer.failed')).toMatchObject([
      { error: 'Error: no trace' },
    ]);
  });

  test('has no say over what goes to a third party', async () => {
    const { client, spillway, server } = await scene(200, { propagate: false });
    spillway.headerHooks.use(marking);
    await client.get('v1');
    expect(server.hits[0]?.headers).not.toHaveProperty('x-mark');
  });

  test('is heard on each hop of a redirect that stays with the dependency', async () => {
    const seen: unknown[] = [];
    const { url } = await serve((req, res) => {
      seen.push(req.headers['x-mark']);
      if (req.url === '/v1') res.writeHead(302, { location: '/v2' }).end();
      else res.end('{}');
    });
    const { client, spillway } = wire(url);
    spillway.headerHooks.use(marking);
    await client.get('v1', { followRedirect: true });
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
  });
});
