import { describe, expect, test } from '@jest/globals';
import { nextTurn } from '@spillway/core';
import { type Scenario, simulate } from '../../src/index.js';

const world: Scenario = {
  name: 'small',
  duration: '20s',
  services: {
    shop: {
      latency: { logNormal: { median: '5ms', p99: '20ms' } },
      calls: ['quotes', { to: 'news', share: 0.5, optional: true }],
      spillway: {
        dependencies: { quotes: { breaker: { openFor: '1s' } }, news: { fallback: () => 'no news' } },
      },
    },
    quotes: { latency: { normal: { mean: '30ms', sd: '10ms' } }, faults: [{ kind: 'status', share: 0.1 }] },
    news: {
      latency: { uniform: { from: '1ms', to: '90ms' } },
      faults: [{ kind: 'reset', from: '8s', to: '12s' }],
    },
  },
  traffic: { users: { to: 'shop', arrivals: { rate: 40, spacing: 'poisson' }, patience: '3s' } },
};

describe('a simulation', () => {
  test('gives the same report for the same seed, byte for byte, and another for another', async () => {
    const first = JSON.stringify(await simulate(world));
    expect(JSON.stringify(await simulate(world))).toBe(first);
    expect(JSON.stringify(await simulate(world, { seed: 2 }))).not.toBe(first);
  });

  test('gives the same events, in the same order', async () => {
    const runs = await Promise.all(
      [1, 2].map(async () => {
        const events: string[] = [];
        await simulate(world, { onEvent: (...event) => events.push(JSON.stringify(event)) });
        return events;
      }),
    );
    expect(runs[0]?.length).toBeGreaterThan(3000);
    expect(runs[0]).toEqual(runs[1]);
  });

  test('answers everybody, and every attempt reaches the service that it was made for', async () => {
    const { variants } = await simulate(world);
    const { only } = variants;
    const users = only?.traffic['users'];
    expect(users?.requests).toBe((users?.good ?? 0) + (users?.failed ?? 0) + (users?.gaveUp ?? 0));
    expect(only?.unfinished).toBe(0);
    expect(only?.dependencies['shop.quotes']?.attempts).toBe(only?.services['quotes']?.requests);
    const { operations, outcomes, refusals } = only?.dependencies['shop.quotes'] ?? {
      operations: -1,
      outcomes: {},
      refusals: {},
    };
    expect(Object.values(outcomes).reduce((sum, count) => sum + count, 0)).toBe(operations);
    expect(Object.values(refusals).reduce((sum, count) => sum + count, 0)).toBe(
      only?.dependencies['shop.quotes']?.outcomes.refused,
    );
    expect(users?.degraded).toBeGreaterThan(20);
  });

  test('changes nothing by being observed', async () => {
    const plain = JSON.stringify(await simulate(world));
    const watched = await simulate(world, { onEvent: () => undefined, onProgress: () => undefined });
    expect(JSON.stringify(watched)).toBe(plain);
  });

  test('runs every combination that is varied, in worlds with the same arrivals', async () => {
    const report = await simulate(world, { vary: [{ path: 'shop.quotes.retry.attempts', values: [1, 3] }] });
    const [one, three] = Object.values(report.variants);
    expect(Object.keys(report.variants)).toEqual([
      'shop.quotes.retry.attempts=1',
      'shop.quotes.retry.attempts=3',
    ]);
    expect(one?.traffic['users']?.requests).toBe(three?.traffic['users']?.requests);
    expect(one?.dependencies['shop.quotes']?.retries).toBe(0);
    expect(three?.dependencies['shop.quotes']?.retries).toBeGreaterThan(20);
  });

  test('that is stopped reports what was simulated so far', async () => {
    const signal = { aborted: false };
    const seen: number[] = [];
    const report = await simulate(
      { ...world, duration: '2000s', variants: { first: {}, second: {} } },
      {
        signal,
        onProgress: ({ nowMs, index, variants, endMs }) => {
          seen.push(nowMs);
          expect([index, variants, endMs]).toEqual([0, 2, 2_000_000]);
          if (nowMs > 30_000) signal.aborted = true;
        },
      },
    );
    expect(report.complete).toBe(false);
    expect(Object.keys(report.variants)).toEqual(['first']);
    expect(report.variants['first']?.simulatedMs).toBeLessThan(300_000);
    expect(report.variants['first']?.traffic['users']?.good).toBeGreaterThan(1000);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  test('lets the process breathe: timers of others fire while it runs', async () => {
    let turns = 0;
    let running = true;
    const breathe = async (): Promise<void> => {
      while (running) {
        await nextTurn();
        turns++;
      }
    };
    const breathing = breathe();
    await simulate({ ...world, duration: '200s' });
    running = false;
    await breathing;
    expect(turns).toBeGreaterThan(5);
  });

  test('judges the conditions that the scenario makes', async () => {
    const conditions = [
      'amplification <= 1.5',
      'p99 < 1ms',
      'users.goodShare >= 50%',
      'quotes.latency.p50 > 0',
      'shop.quotes.p99 < 10s',
    ];
    const report = simulate({ ...world, expect: conditions });
    await expect(report).rejects.toThrow(/quotes\.latency\.p50 > 0/);
    const { expectations } = await simulate({ ...world, expect: conditions.filter((_, i) => i !== 3) });
    expect(expectations.map(({ holds }) => holds)).toEqual([true, false, true, true]);
    expect(expectations[1]).toMatchObject({ variant: 'only', condition: 'p99 < 1ms' });
  });
});

/** A dependency whose every trouble comes round every five minutes. */
const long: Scenario = {
  duration: '10000s',
  services: {
    shop: {
      latency: 0,
      calls: ['quotes'],
      spillway: {
        dependencies: {
          quotes: {
            deadline: '3s',
            attempt: { timeout: '200ms' },
            retry: { attempts: 3 },
            breaker: { consecutive: 5 },
            bulkhead: { concurrent: 1, queue: 1, wait: '100ms' },
          },
        },
      },
    },
    quotes: {
      latency: { logNormal: { median: '60ms', p99: '400ms' } },
      faults: Array.from({ length: 33 }, (_, i) => ({
        kind: (['status', 'hang', 'slow'] as const)[i % 3] ?? 'status',
        from: i * 300_000,
        to: i * 300_000 + 20_000,
      })),
    },
  },
  traffic: { users: { to: 'shop', arrivals: { rate: 1, spacing: 'poisson' } } },
};

test('goes through ten thousand virtual seconds of timeouts, waits and open breakers in two of the processor, alike each time', async () => {
  const traces: string[] = [];
  const tookMs: number[] = [];
  for (let run = 0; run < 3; run++) {
    let trace = '';
    const types = new Set<string>();
    const before = process.cpuUsage();
    await simulate(long, {
      onEvent: (_variant, _service, event) => {
        types.add(event.type);
        trace += `${event.at} ${event.type} ${'id' in event ? event.id : ''}\n`;
      },
    });
    const { user, system } = process.cpuUsage(before);
    tookMs.push((user + system) / 1000);
    traces.push(trace);
    for (const type of [
      'retry.scheduled',
      'breaker.transition',
      'breaker.refused',
      'bulkhead.queued',
      'bulkhead.refused',
    ] as const) {
      expect(types).toContain(type);
    }
  }
  expect(traces[1]).toBe(traces[0]);
  expect(traces[2]).toBe(traces[0]);
  // the first run compiles
  expect(Math.min(...tookMs)).toBeLessThan(2000);
}, 60_000);
