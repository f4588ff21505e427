import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createSpillway, type SpillwayEvent } from '@spillway/core';
import { AggregatorRegistry, Counter, type OpenMetricsContentType, Registry, register } from 'prom-client';
import { prometheus } from '../../src/prometheus/index.js';
import { find, parse, scrape, sum } from '../support/scrape.js';

function shop(service: string) {
  return createSpillway({ service, dependencies: { quotes: {} } });
}

async function work(spillway: ReturnType<typeof shop>, times: number): Promise<void> {
  for (let i = 0; i < times; i++) await spillway.dependency('quotes').call(() => i);
}

describe('a registry', () => {
  test('is shared by spillways, told apart by their services', async () => {
    const registry = new Registry();
    const [one, two] = [shop('one'), shop('two')];
    prometheus(one, { registry });
    prometheus(two, { registry });
    await work(one, 1);
    await work(two, 2);
    const series = await scrape(registry);
    expect(sum(series, 'spillway_operations_total', { spillway: 'one', outcome: 'success' })).toBe(1);
    expect(sum(series, 'spillway_operations_total', { spillway: 'two', outcome: 'success' })).toBe(2);
  });

  test('shows spillways of the same service as one, each series once', async () => {
    const registry = new Registry();
    const [one, two] = [shop('same'), shop('same')];
    prometheus(one, { registry });
    prometheus(two, { registry });
    await work(one, 1);
    await work(two, 2);
    const text = await registry.metrics();
    const lines = text.split('\n').filter((line) => line.startsWith('spillway_'));
    const names = lines.map((line) => line.slice(0, line.lastIndexOf(' ')));
    expect(new Set(names).size).toBe(names.length);
    const series = parse(text);
    expect(sum(series, 'spillway_operations_total', { outcome: 'success' })).toBe(3);
    expect(sum(series, 'spillway_operation_duration_seconds_count')).toBe(3);
    expect(sum(series, 'spillway_breaker_state', { state: 'closed' })).toBe(2);
  });

  test('counts nothing twice when a spillway is shown twice', async () => {
    const registry = new Registry();
    const one = shop('one');
    prometheus(one, { registry });
    const again = prometheus(one, { registry });
    await work(one, 1);
    expect(sum(await scrape(registry), 'spillway_operations_total')).toBe(1);
    again.stop();
    expect(await registry.metrics()).not.toContain('spillway_');
  });

  test('loses a spillway that stops, and only that', async () => {
    const registry = new Registry();
    const [one, two] = [shop('one'), shop('two')];
    const first = prometheus(one, { registry });
    prometheus(two, { registry });
    first.stop();
    await work(one, 1);
    const series = await scrape(registry);
    expect(new Set(series.map(({ labels: { spillway } }) => spillway))).toEqual(new Set(['two']));
    expect(one.events.enabled).toBe(false);
  });

  test('that was cleared shows the next spillway again', async () => {
    const registry = new Registry();
    prometheus(shop('one'), { registry });
    registry.clear();
    prometheus(shop('two'), { registry });
    expect(find(await scrape(registry), 'spillway_operations_in_flight')).toHaveLength(2);
  });

  test('is prom-client’s own when none is given', async () => {
    const metrics = prometheus(shop('one'));
    expect(metrics.registry).toBe(register);
    expect(await register.metrics()).toContain('spillway_inbound_in_flight{spillway="one"} 0');
    metrics.stop();
    expect(await register.metrics()).not.toContain('spillway_');
  });

  test('forgets what was counted when it is reset', async () => {
    const registry = new Registry();
    const one = shop('one');
    prometheus(one, { registry });
    await work(one, 3);
    registry.resetMetrics();
    expect(sum(await scrape(registry), 'spillway_operations_total')).toBe(0);
  });

  test('that speaks OpenMetrics gets names without their ending in the headers', async () => {
    const registry = new Registry<OpenMetricsContentType>();
    registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const one = shop('one');
    prometheus(one, { registry });
    await work(one, 1);
    for (let time = 0; time < 2; time++) {
      const text = await registry.metrics();
      expect(text).toContain('# TYPE spillway_operations counter\n');
      expect(text).toMatch(/\nspillway_operations_total\{.*outcome="success"} 1\n/);
      expect(text.endsWith('# EOF\n')).toBe(true);
    }
  });

  test('of a cluster is joined with those of other workers', async () => {
    const workers = await Promise.all(
      [1, 2].map(async (times) => {
        const registry = new Registry();
        const one = shop('one');
        prometheus(one, { registry });
        await work(one, times);
        return registry.getMetricsAsJSON();
      }),
    );
    const joined = AggregatorRegistry.aggregate(workers as never);
    const series = parse(await joined.metrics());
    expect(sum(series, 'spillway_operations_total', { outcome: 'success' })).toBe(3);
    expect(sum(series, 'spillway_operation_attempts_bucket', { le: '1' })).toBe(3);
  });
});

describe('faults of registries and collectors', () => {
  test('a registry that refuses a metric throws nothing and is told once', async () => {
    const registry = new Registry();
    new Counter({ name: 'spillway_operations_total', help: 'somebody else’s', registers: [registry] });
    const one = shop('one');
    const events: SpillwayEvent[] = [];
    one.subscribe((event) => events.push(event));
    prometheus(one, { registry });
    await work(one, 1);
    await registry.metrics();
    const failures = events.filter(({ type }) => type === 'observer.failed');
    expect(failures).toEqual([
      {
        type: 'observer.failed',
        at: expect.any(Number),
        error: expect.stringContaining('already been registered'),
      },
    ]);
    expect(one.snapshot().observerFailures).toBe(1);
  });

  test('a snapshot that cannot be taken costs its gauges, is told once, and no request notices', async () => {
    const registry = new Registry();
    const one = shop('one');
    const snapshot = one.snapshot.bind(one);
    one.snapshot = () => {
      throw new Error('broken');
    };
    prometheus(one, { registry });
    await work(one, 2);
    for (let time = 0; time < 3; time++) {
      const series = await scrape(registry);
      expect(sum(series, 'spillway_operations_total', { outcome: 'success' })).toBe(2);
      expect(find(series, 'spillway_operations_in_flight')).toEqual([]);
    }
    expect(snapshot().observerFailures).toBe(1);
  });

  test('one scrape takes one snapshot', async () => {
    const registry = new Registry();
    const one = shop('one');
    const snapshot = one.snapshot.bind(one);
    let taken = 0;
    one.snapshot = () => {
      taken++;
      return snapshot();
    };
    prometheus(one, { registry });
    await registry.metrics();
    await registry.metrics();
    expect(taken).toBe(2);
  });

  test.each<[unknown, string]>([
    [{ limits: { operation: -1 } }, 'limits.operation is -1; give a whole number from 0 to 10000'],
    [{ limits: { operations: 3 } }, 'operations is no option; there are operation, breaker, source, header'],
    [{ limits: null }, 'null is no object'],
    [{ breakerKeys: 'al' }, "breakerKeys: 'al' is neither 'known' nor 'all'"],
    [{ registry: 5 }, 'registry: 5 has no registerMetric()'],
    [{ registry: {} }, 'registry: it has no registerMetric()'],
    [{ registy: new Registry() }, 'registy is no option; there are registry, limits, breakerKeys'],
    [null, 'null is no object'],
  ])('%j is refused, and the option named', (options, message) => {
    expect(() => prometheus(shop('one'), options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_CONFIG', message: expect.stringContaining(message) }),
    );
  });
});

describe('the handler', () => {
  async function ask(registry: Registry) {
    const { handler } = prometheus(shop('one'), { registry });
    const server = createServer(handler);
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    const got = {
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: await answer.text(),
    };
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
    return got;
  }

  test('answers with the text of the registry', async () => {
    const registry = new Registry();
    const { status, type, text } = await ask(registry);
    expect([status, type]).toEqual([200, registry.contentType]);
    expect(text).toContain('# TYPE spillway_attempts_total counter');
  });

  test('answers 500 when another collector of the registry throws', async () => {
    const registry = new Registry();
    new Counter({
      name: 'theirs',
      help: 'theirs',
      registers: [registry],
      collect: () => {
        throw new Error('no disk');
      },
    });
    const { status, text } = await ask(registry);
    expect([status, text]).toEqual([500, 'The registry could not be read: Error: no disk\n']);
  });
});
