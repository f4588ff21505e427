import { describe, expect, test } from '@jest/globals';
import { type Scenario, type Service, simulate, type Traffic, type VariantReport } from '../../src/index.js';

/** One request at each instant to a shop that asks one dependency. */
async function runOne(
  quotes: Service,
  more: Partial<Scenario> & { shop?: Partial<Service>; users?: Partial<Traffic>; policy?: object } = {},
): Promise<VariantReport> {
  const { shop, users, policy, ...rest } = more;
  const dependency = { retry: false, breaker: false, ...policy } as const;
  const { variants } = await simulate({
    duration: '10s',
    services: {
      shop: { latency: 0, calls: ['quotes'], spillway: { dependencies: { quotes: dependency } }, ...shop },
      quotes,
    },
    traffic: { users: { to: 'shop', arrivals: { trace: [0] }, ...users } },
    ...rest,
  });
  return variants['only'] as VariantReport;
}

function statuses(report: VariantReport): unknown {
  return report.traffic['users']?.statuses;
}

describe('a service with capacity', () => {
  test('works on as many requests as it has places, and the others wait their turn', async () => {
    const { traffic, services } = await runOne(
      { latency: '100ms', capacity: 2, queue: 10 },
      { users: { arrivals: { trace: [0, 0, 0, 0, 0] } } },
    );
    expect(traffic['users']?.latency).toMatchObject({ count: 5, p50Ms: 200, maxMs: 300 });
    expect(services['quotes']).toMatchObject({ maxInWork: 2, maxQueued: 3 });
  });

  test('answers 503 when its queue is full', async () => {
    const report = await runOne(
      { latency: '100ms', capacity: 1, queue: 1 },
      { users: { arrivals: { trace: [0, 0, 0, 0] } } },
    );
    expect(statuses(report)).toEqual({ '200': 2, '503': 2 });
    expect(report.services['quotes']?.refusals).toEqual({ 'queue full': 2 });
  });

  test('works on for callers who have gone, and that is counted as wasted', async () => {
    const policy = { attempt: { timeout: '30ms' }, deadline: '1s' };
    const finish = await runOne(
      { latency: '100ms', capacity: 1 },
      { policy, users: { arrivals: { trace: [0, 1] } } },
    );
    expect(statuses(finish)).toEqual({ '504': 2 });
    expect(finish.services['quotes']?.wasted).toEqual({ count: 2, ms: 200 });
    const stop = await runOne(
      { latency: '100ms', capacity: 1, whenGone: 'stop' },
      { policy, users: { arrivals: { trace: [0, 1, 40] } } },
    );
    expect(stop.services['quotes']?.wasted).toEqual({ count: 3, ms: 61 });
  });
});

describe('faults', () => {
  test.each([
    ['status', { kind: 'status', status: 500 }, { '502': 1 }, 0],
    ['late status', { kind: 'status', status: 503, after: '40ms' }, { '503': 1 }, 40],
    ['hang', { kind: 'hang' }, { '504': 1 }, 3000],
    ['reset', { kind: 'reset', after: '5ms' }, { '502': 1 }, 5],
    ['refuse', { kind: 'refuse' }, { '503': 1 }, 0],
    ['slow', { kind: 'slow', factor: 20 }, { '200': 1 }, 200],
  ] as const)('by %s end as the outcome table says, after their time', async (_, fault, expected, ms) => {
    const report = await runOne({ faults: [fault] });
    expect(statuses(report)).toEqual(expected);
    expect(report.traffic['users']?.latency.maxMs).toBe(ms);
  });

  test('last from their beginning until before their end, and hit their share', async () => {
    const edge = await runOne(
      { faults: [{ kind: 'status', from: '1s', to: '2s' }] },
      { users: { arrivals: { trace: [999, 1000, 1999, 2000] } } },
    );
    expect(statuses(edge)).toEqual({ '200': 2, '503': 2 });
    const share = await runOne(
      { faults: [{ kind: 'status', share: 0.25 }] },
      { users: { arrivals: { rate: 200 } }, policy: { bulkhead: false } },
    );
    const failed = share.traffic['users']?.failed ?? 0;
    expect(failed / 2000).toBeGreaterThan(0.21);
    expect(failed / 2000).toBeLessThan(0.29);
  });

  test('ask for a wait, which is honoured', async () => {
    const fault = { kind: 'status', status: 503, retryAfter: '2s', to: '1s' } as const;
    const report = await runOne({ faults: [fault] }, { policy: { retry: { attempts: 2 } } });
    expect(statuses(report)).toEqual({ '200': 1 });
    expect(report.traffic['users']?.latency.maxMs).toBeGreaterThanOrEqual(2010);
  });
});

describe('restarts', () => {
  test('break what is in work, refuse while down, and are cold afterwards', async () => {
    const quotes: Service = {
      latency: '100ms',
      restarts: [{ at: '1s', down: '2s', cold: { for: '10s', factor: 5 } }],
    };
    const report = await runOne(quotes, {
      users: { arrivals: { trace: [950, 1500, 3001, 8000] } },
      duration: '20s',
    });
    expect(statuses(report)).toEqual({ '200': 2, '502': 1, '503': 1 });
    // 5 times as long when it has just come up, 3 times half way
    expect(report.traffic['users']?.goodLatency).toMatchObject({ count: 2, p50Ms: 300 });
    expect(report.traffic['users']?.goodLatency.maxMs).toBeCloseTo(500, 0);
    expect(report.troubleToMs).toBe(3000);
  });

  test('of a service with several instances go around those that are down', async () => {
    const quotes: Service = { instances: 2, restarts: [{ at: 1050, down: '1s', rolling: '3s' }] };
    const report = await runOne(quotes, { users: { arrivals: { rate: 10 } } });
    expect(statuses(report)).toEqual({ '200': 100 });
    expect(report.troubleToMs).toBe(5050);
  });

  test('of a guarded service forget what its policies had learnt', async () => {
    const users = { arrivals: { trace: [0, 100, 200, 6000] } };
    const policy = { breaker: { consecutive: 2, openFor: '60s', jitter: 0 } };
    const quotes: Service = { faults: [{ kind: 'status' }] };
    const kept = await runOne(quotes, { users, policy });
    const restarted = await runOne(quotes, { users, policy, shop: { restarts: [{ at: '3s', down: '1s' }] } });
    expect(kept.attempts).toBe(2);
    expect(restarted.attempts).toBe(3);
  });
});

describe('clients', () => {
  test('give up when their patience ends, and the work for them is cancelled all the way down', async () => {
    const report = await runOne(
      { latency: '500ms', whenGone: 'stop' },
      { users: { patience: '200ms' }, shop: { whenGone: 'stop' } },
    );
    expect(statuses(report)).toEqual({ 'gave up': 1 });
    expect(report.dependencies['shop.quotes']?.outcomes.cancelled).toBe(1);
    expect(report.services['quotes']?.wasted).toEqual({ count: 1, ms: 200 });
  });

  test('who say how long they wait are answered 504 in time', async () => {
    const report = await runOne({ latency: '500ms' }, { users: { patience: '200ms', sendsDeadline: true } });
    expect(report.dependencies['shop.quotes']?.latency.maxMs).toBe(180);
    expect(statuses(report)).toEqual({ '504': 1 });
  });

  test('in a closed loop ask one after another, with a pause', async () => {
    const report = await runOne(
      { latency: '90ms' },
      { users: { arrivals: { callers: 2, pause: '10ms' } }, duration: '1s' },
    );
    expect(report.traffic['users']?.requests).toBe(20);
    expect(report.dependencies['shop.quotes']?.maxInFlight).toBe(2);
  });

  test('come at a rate that changes, evenly or by chance', async () => {
    const rate = [
      { at: 0, rate: 10 },
      { at: '2s', rate: 0 },
      { at: '4s', rate: 100 },
      { at: '5s', rate: 1 },
    ] as const;
    const even = await runOne({}, { users: { arrivals: { rate } } });
    expect(even.traffic['users']?.requests).toBe(20 + 100 + 5);
    const chance = await runOne(
      {},
      { users: { arrivals: { rate: 100, spacing: 'poisson' } }, policy: { bulkhead: false } },
    );
    expect(Math.abs((chance.traffic['users']?.requests ?? 0) - 1000)).toBeLessThan(100);
  });
});

describe('a guarded service', () => {
  test('passes its time left on, so that the callee answers in time', async () => {
    const report = await runOne(
      { latency: 0, calls: ['deep'], spillway: { dependencies: { deep: { retry: false } } } },
      {
        users: { patience: '300ms', sendsDeadline: true },
        services: {
          shop: { latency: 0, calls: ['quotes'], spillway: { dependencies: { quotes: { retry: false } } } },
          quotes: { latency: 0, calls: ['deep'], spillway: { dependencies: { deep: { retry: false } } } },
          deep: { latency: '1s' },
        },
      },
    );
    // 300 less the margin of 20, and once more: the callee answers before its caller's time is up
    expect(report.dependencies['shop.quotes']?.latency.maxMs).toBe(260);
    expect(report.dependencies['quotes.deep']?.latency.maxMs).toBe(260);
  });

  test('refuses at its gate what is above a fixed limit, with a wait that its callers honour', async () => {
    const gate = { inbound: { concurrency: 1 }, dependencies: { deep: {} } };
    const report = await runOne(
      {},
      {
        users: { arrivals: { trace: [0, 0, 0] } },
        services: {
          shop: {
            latency: 0,
            calls: ['quotes'],
            spillway: { dependencies: { quotes: { retry: false, breaker: false } } },
          },
          quotes: { latency: '50ms', calls: ['deep'], spillway: gate },
          deep: {},
        },
      },
    );
    expect(statuses(report)).toEqual({ '200': 1, '503': 2 });
    expect(report.services['quotes']?.refusals).toEqual({ 'gate: limit': 2 });
  });

  test('makes calls of a share, several times, optional ones and all at once', async () => {
    const calls = [
      { to: 'quotes', times: 3 },
      { to: 'news', optional: true },
    ];
    const services = (parallel: boolean): Record<string, Service> => ({
      shop: {
        latency: 0,
        parallel,
        calls,
        spillway: { dependencies: { quotes: {}, news: { retry: false } } },
      },
      quotes: { latency: '10ms' },
      news: { latency: '1ms', faults: [{ kind: 'status', status: 500 }] },
    });
    const serial = await runOne({}, { services: services(false) });
    expect(serial.traffic['users']).toMatchObject({ good: 1, degraded: 1, latency: { maxMs: 30 } });
    const parallel = await runOne({}, { services: services(true) });
    expect(parallel.traffic['users']).toMatchObject({ good: 1, degraded: 1, latency: { maxMs: 10 } });
    expect(parallel.services['quotes']?.requests).toBe(3);
  });
});
