import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { createSpillway } from '@spillway/core';
import type { IdempotencyEvent } from '../../src/index.js';
import { FRAMEWORKS } from '../support/frameworks.js';
import { Bench } from '../support/matrix.js';
import { allRigs } from '../support/store-rigs.js';

const { makers, dispose } = await allRigs();
const bench = new Bench();
afterEach(() => bench.close());
afterAll(dispose, 30_000);

// the thousand of the promise in the nightly run
const KEYS = process.env['NIGHTLY'] ? 1_000 : 100;

describe.each(makers)('%s', (_name, make) => {
  test('contested keys leave no store error and no failure at the caller’s breaker', async () => {
    const { store } = await bench.rig(make);
    const told: IdempotencyEvent[] = [];
    const runs = new Map<string, number>();
    const app = await bench.serve(
      FRAMEWORKS[0]?.[1] as (typeof FRAMEWORKS)[number][1],
      { store, required: true, observe: (event: IdempotencyEvent) => told.push(event), storeTimeout: '20s' },
      async ({ send, idempotency }) => {
        const key = String(idempotency?.key);
        runs.set(key, (runs.get(key) ?? 0) + 1);
        await new Promise((resolve) => setTimeout(resolve, 2));
        return send(201, {}, { key });
      },
    );
    const spillway = createSpillway({
      service: 'caller',
      dependencies: {
        api: {
          deadline: '60s',
          attempt: { timeout: '30s' },
          retry: false,
          breaker: { minCalls: 1, consecutive: 1 },
          bulkhead: { concurrent: 50, queue: 5_000, wait: '60s' },
        },
      },
    });
    const statuses = new Map<number, number>();
    const post = (key: string) =>
      spillway.dependency('api').call(
        async (attempt) => {
          const headers = { 'idempotency-key': key, 'content-type': 'application/json' };
          const response = await fetch(`${app.url}/p`, {
            method: 'POST',
            headers,
            body: '{}',
            signal: attempt.signal,
          });
          await response.arrayBuffer();
          statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
          return response;
        },
        { idempotencyKey: key },
      );
    const all = Array.from({ length: KEYS * 2 }, (_, i) => post(`key-${i >> 1}`));
    const settled = await Promise.allSettled(all);
    expect([...statuses.keys()].every((status) => status === 201 || status === 409)).toBe(true);
    expect(settled).toHaveLength(KEYS * 2);
    expect(runs.size).toBe(KEYS);
    expect([...runs.values()].every((count) => count === 1)).toBe(true);
    expect(told.filter(({ type }) => type === 'idempotency.store-error')).toEqual([]);
    expect(spillway.dependency('api').breaker.state).toBe('closed');
    spillway.close();
  }, 120_000);
});
