import { describe, expect, test } from '@jest/globals';
import { type BreakerConfig, createSpillway, type DependencyConfig } from '@spillway/core';
import { manualClock } from '@spillway/testing';
import { Registry } from 'prom-client';
import { type PrometheusOptions, prometheus } from '../../src/prometheus/index.js';
import { find, scrape, sum } from '../support/scrape.js';

const FAIL = () => Promise.reject(new Error('down'));

function shop(quotes: DependencyConfig, options: PrometheusOptions = {}, inbound = {}) {
  const clock = manualClock();
  const spillway = createSpillway({ inbound, dependencies: { quotes } }, { clock });
  const registry = new Registry();
  prometheus(spillway, { registry, ...options });
  const call = (operation: string, work: () => unknown) =>
    spillway.dependency('quotes').settle(async () => work(), { operation });
  return { clock, spillway, registry, call };
}

const SCOPED: DependencyConfig = {
  retry: false,
  breaker: { scope: ({ operation }) => operation, consecutive: 1, maxKeys: 3 },
};

test('a share of two spillways of one name is a share', async () => {
  const registry = new Registry();
  for (const works of [
    [FAIL, FAIL],
    [FAIL, () => 1],
  ]) {
    const { call } = shop({ retry: false }, { registry });
    for (const work of works) await call('a', work);
  }
  const samples = await scrape(registry);
  expect(find(samples, 'spillway_breaker_failure_ratio').map(({ value }) => value)).toEqual([0.75]);
  expect(sum(samples, 'spillway_operations_total')).toBe(4);
});

describe('gauges read when somebody scrapes', () => {
  test('show the one state that a breaker is in', async () => {
    const { registry, call, clock } = shop({ retry: false, breaker: { consecutive: 2, jitter: 0 } });
    const open = async () => {
      const states = find(await scrape(registry), 'spillway_breaker_state', { breaker: 'quotes' });
      expect(states).toHaveLength(5);
      return states.filter(({ value }) => value === 1).map(({ labels: { state } }) => state);
    };
    expect(await open()).toEqual(['closed']);
    await call('a', FAIL);
    expect(sum(await scrape(registry), 'spillway_breaker_failure_ratio')).toBe(1);
    await call('a', FAIL);
    expect(await open()).toEqual(['open']);
    await clock.advance(5000);
    expect(await open()).toEqual(['half-open']);
  });

  test('say nothing of failures while the window is empty', async () => {
    const { registry } = shop({});
    expect(find(await scrape(registry), 'spillway_breaker_failure_ratio')).toEqual([]);
  });

  test('show units, budget and what is in flight', async () => {
    const { registry, call } = shop({ bulkhead: { concurrent: 1, queue: 5 } });
    let end: (() => void) | undefined;
    const first = call('a', () => new Promise<void>((resolve) => (end = resolve)));
    const second = call('a', () => 2);
    await new Promise((resolve) => void setImmediate(resolve));
    const series = await scrape(registry);
    expect(
      ['operations_in_flight', 'bulkhead_in_use', 'bulkhead_limit', 'bulkhead_queued'].map((name) =>
        sum(series, `spillway_${name}`, { dependency: 'quotes' }),
      ),
    ).toEqual([2, 1, 1, 1]);
    expect(sum(series, 'spillway_retry_budget_allowed')).toBeGreaterThan(0);
    end?.();
    await Promise.all([first, second]);
    expect(sum(await scrape(registry), 'spillway_operations_in_flight')).toBe(0);
  });

  test('leave out what is not there: no gate, no budget, no bulkhead, no breaker', async () => {
    const off = { retry: false, breaker: false, bulkhead: false } as const;
    const { registry } = shop(off, {}, { concurrency: false });
    const series = await scrape(registry);
    for (const name of ['inbound_limit', 'retry_budget_allowed', 'bulkhead_limit', 'breaker_state']) {
      expect(find(series, `spillway_${name}`)).toEqual([]);
    }
    expect(sum(series, 'spillway_inbound_in_flight')).toBe(0);
  });
});

describe('breakers by key', () => {
  test('are one where keys are made by a function, unless they may be seen', async () => {
    const hidden = shop(SCOPED);
    await hidden.call('user 42', FAIL);
    await hidden.call('user 43', () => 1);
    const series = find(await scrape(hidden.registry), 'spillway_breaker_state');
    expect(new Set(series.map(({ labels: { breaker } }) => breaker))).toEqual(new Set(['other']));
    expect(sum(series, 'spillway_breaker_state', { state: 'open' })).toBe(1);
    expect(sum(series, 'spillway_breaker_state', { state: 'closed' })).toBe(1);
    const open = shop(SCOPED, { breakerKeys: 'all' });
    await open.call('reports', FAIL);
    const seen = await scrape(open.registry);
    expect(sum(seen, 'spillway_breaker_state', { breaker: 'reports', state: 'open' })).toBe(1);
    expect(sum(seen, 'spillway_breaker_transitions_total', { breaker: 'reports', to: 'open' })).toBe(1);
  });

  test('are seen where they are origins', async () => {
    const origin = { baseUrl: 'http://quotes.internal', breaker: { scope: 'origin' } } as const;
    const { registry, call } = shop(origin);
    await call('a', () => 1);
    const states = find(await scrape(registry), 'spillway_breaker_state', { state: 'closed' });
    expect(states.map(({ labels: { breaker } }) => breaker)).toEqual(['http://quotes.internal']);
  });

  test('disappear when they are forgotten, and count on when they come back', async () => {
    const { registry, call, clock } = shop(SCOPED, { breakerKeys: 'all' });
    const transitions = async () =>
      sum(await scrape(registry), 'spillway_breaker_transitions_total', { breaker: 'a', to: 'open' });
    await call('a', FAIL);
    expect(await transitions()).toBe(1);
    await clock.advance(60_000);
    await call('a', () => 1);
    for (let probe = 0; probe < 3; probe++) await call('a', () => 1);
    for (const key of ['b', 'c', 'd']) await call(key, () => 1);
    const gone = await scrape(registry);
    expect(find(gone, 'spillway_breaker_state', { breaker: 'a' })).toEqual([]);
    expect(find(gone, 'spillway_breaker_transitions_total', { breaker: 'a' })).toEqual([]);
    expect(sum(gone, 'spillway_breaker_evictions_total')).toBe(1);
    await call('a', FAIL);
    expect(await transitions()).toBe(2);
  });

  test('beyond the limit are one, whether they are looked at or not', async () => {
    const breaker: BreakerConfig = { scope: ({ operation }) => operation, consecutive: 1 };
    const { registry, call } = shop(
      { retry: false, breaker },
      { breakerKeys: 'all', limits: { breaker: 2 } },
    );
    for (let key = 0; key < 10; key++) await call(`key ${key}`, FAIL);
    for (let time = 0; time < 3; time++) await scrape(registry);
    const series = await scrape(registry);
    const states = find(series, 'spillway_breaker_state', { state: 'open' });
    expect(states.map(({ labels: { breaker }, value }) => [breaker, value])).toEqual([
      ['key 0', 1],
      ['key 1', 1],
      ['other', 8],
    ]);
    expect(sum(series, 'spillway_telemetry_folded_total', { label: 'breaker' })).toBe(8);
    expect(sum(series, 'spillway_breaker_transitions_total', { breaker: 'other', to: 'open' })).toBe(8);
  });
});
