import { afterEach, describe, expect, test } from '@jest/globals';
import { memoryStore } from '@spillway/idempotency/memory';
import type { IdempotencyStore } from '../../src/engine/store.js';
import { FRAMEWORKS } from '../support/frameworks.js';
import { Bench } from '../support/matrix.js';
import { post, send } from '../support/wire.js';

const bench = new Bench();
afterEach(() => bench.close());

type Failing = Partial<Record<keyof IdempotencyStore, 'rejects' | 'throws' | 'hangs'>>;

/** A store whose named methods fail. */
function failing(ways: Failing): IdempotencyStore {
  const store = memoryStore();
  return new Proxy(store, {
    get(target, name) {
      const way = ways[name as keyof IdempotencyStore];
      if (way === 'hangs') return () => new Promise(() => {});
      if (way === 'rejects') return () => Promise.reject(new Error('store down'));
      if (way === 'throws') {
        return () => {
          throw new Error('store broken');
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const MARKERS = {
  'idempotent-replayed': 'true',
  'idempotent-stored': 'false',
  'Idempotent-Replayed': 'true',
};

describe.each(FRAMEWORKS)('%s', (_name, framework) => {
  test('C-084 marker headers steer nothing, and a failing store neither hangs a request nor runs it twice', async () => {
    const fresh = await bench.serve(framework, { store: memoryStore(), required: true }, ({ send, req }) =>
      send(
        200,
        {},
        { markers: req.rawHeaders.filter((name) => /^idempotent-/i.test(name)), headers: req.headers },
      ),
    );
    const marked = await send(`${fresh.url}/p`, { key: 'K', body: '{}', headers: MARKERS });
    expect(marked.status).toBe(200);
    expect(marked.headers['idempotent-replayed']).toBeUndefined();
    expect(marked.json()['markers']).toEqual([]);
    expect(marked.json()['headers']).not.toHaveProperty('idempotent-replayed');
    expect(fresh.runs()).toBe(1);

    for (const way of ['rejects', 'throws', 'hangs'] as const) {
      const claim = await bench.serve(
        framework,
        { store: failing({ begin: way }), required: true, storeTimeout: 100 },
        ({ send }) => send(200, {}, { ok: true }),
      );
      const began = Date.now();
      const refused = await post(`${claim.url}/p`, 'K');
      expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
      expect(Date.now() - began).toBeLessThan(400);
      expect(claim.runs()).toBe(0);

      const open = await bench.serve(
        framework,
        { store: failing({ begin: way }), storeTimeout: 100 },
        ({ send }) => send(200, {}, {}),
      );
      expect((await post(`${open.url}/p`, 'K')).status).toBe(200);
      expect(open.runs()).toBe(1);

      const save = await bench.serve(
        framework,
        { store: failing({ complete: way }), required: true, storeTimeout: 100 },
        ({ send }) => send(201, {}, { ok: true }),
      );
      expect((await post(`${save.url}/p`, 'K')).status).toBe(201);
      expect((await post(`${save.url}/p`, 'K')).status).toBe(409);
      expect((await post(`${save.url}/p`, 'K', { other: 1 })).status).toBe(422);
      expect(save.runs()).toBe(1);
    }
  });
});
