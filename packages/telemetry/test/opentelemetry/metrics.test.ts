import { afterEach, describe, expect, test } from '@jest/globals';
import { metrics } from '@opentelemetry/api';
import { DataPointType, MeterProvider, type MetricData, MetricReader } from '@opentelemetry/sdk-metrics';
import { clients } from '@spillway/client';
import { createSpillway, type SpillwayEvent } from '@spillway/core';
import { INSTRUMENTS, type Instrument, prometheusName, SERVICE } from '@spillway/core/instruments';
import { openTelemetry } from '@spillway/telemetry/opentelemetry';
import { prometheus } from '@spillway/telemetry/prometheus';
import { flakyServer } from '@spillway/testing';
import { Registry } from 'prom-client';
import { scrape } from '../support/scrape.js';

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {
    // it is read by hand
  }

  protected async onShutdown(): Promise<void> {
    // nothing is open
  }

  /** What the SDK has, by name; what holds no point is as good as absent. */
  async read(): Promise<Map<string, MetricData>> {
    const { resourceMetrics, errors } = await this.collect();
    expect(errors).toEqual([]);
    const all = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    return new Map(
      all.filter(({ dataPoints }) => dataPoints.length > 0).map((metric) => [metric.descriptor.name, metric]),
    );
  }
}

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

function sdk() {
  const reader = new Reader();
  const provider = new MeterProvider({ readers: [reader] });
  cleanups.push(() => provider.shutdown());
  return { reader, meter: provider.getMeter('test'), provider };
}

/** A spillway that has seen much: retries, refusals, fallbacks, a queue, a stale connection. */
async function busy() {
  const server = await flakyServer([503, 200, { latency: 20 }, 200, 429, 500, 500, 500, 404]);
  const quotes = {
    baseUrl: server.url,
    bulkhead: { concurrent: 1, queue: 1 },
    retry: { backoff: { base: '1ms', cap: '2ms' } },
    breaker: { minCalls: 3, openFor: '30s' },
  } as const;
  const spillway = createSpillway<{ quotes: never }>({ service: 'shop', dependencies: { quotes } });
  cleanups.push(
    () => spillway.close(),
    () => server.close(),
  );
  const client = clients(spillway)('quotes');
  const drive = async () => {
    await client.get('v1');
    await Promise.allSettled([client.get('v1'), client.get('v1'), client.get('v1')]);
    for (let i = 0; i < 6; i++) await client.get('v1').catch(() => undefined);
    await client.get('v1', { fallback: () => null }).catch(() => undefined);
    await spillway.dependency('quotes').settle(() => 1, { operation: 'load' });
  };
  return { spillway, drive };
}

describe('the metrics', () => {
  test('are those of Prometheus, value for value', async () => {
    const { reader, meter } = sdk();
    const { spillway, drive } = await busy();
    const registry = new Registry();
    prometheus(spillway, { registry });
    cleanups.push(openTelemetry(spillway, { meter, tracer: false }));
    await drive();
    tell(spillway, KEYED);
    const told = await reader.read();
    const points = INSTRUMENTS.flatMap((row) => pointsOf(row, told.get(row.otel)));
    const series = (await scrape(registry)).map(({ name, labels, value }) => [keyOf(name, labels), value]);
    const [ours, theirs] = [new Map(points), new Map(series as [string, number][])];
    // buckets of Prometheus add up, those of OpenTelemetry do not: the first is compared
    const wanted = [...theirs.keys()].filter((key) => !key.includes('_bucket{') || ours.has(key));
    expect([...ours.keys()].toSorted()).toEqual(wanted.toSorted());
    for (const [key, value] of ours) expect([key, theirs.get(key)]).toEqual([key, expect.closeTo(value, 6)]);
    expect(ours.size).toBeGreaterThan(80);
  });

  test('carry name, unit and description of the table, and its buckets', async () => {
    const { reader, meter } = sdk();
    const { spillway, drive } = await busy();
    cleanups.push(openTelemetry(spillway, { meter, tracer: false }));
    await drive();
    const told = await reader.read();
    for (const [name, { descriptor, dataPoints, dataPointType }] of told) {
      const row = INSTRUMENTS.find(({ otel }) => otel === name) as Instrument;
      expect(descriptor).toMatchObject({ name: row.otel, unit: row.unit, description: row.help });
      expect(prometheusName(row)).toBe(row.name);
      if (dataPointType !== DataPointType.HISTOGRAM) continue;
      expect(dataPoints[0]?.value).toMatchObject({ buckets: { boundaries: row.buckets } });
    }
  });

  test('each histogram of the table is moved by one of its events', async () => {
    const { reader, meter } = sdk();
    const { spillway, drive } = await busy();
    cleanups.push(openTelemetry(spillway, { meter, tracer: false }));
    await drive();
    tell(spillway, KEYED);
    const told = await reader.read();
    const histograms = INSTRUMENTS.filter(({ kind }) => kind === 'histogram').map(({ otel }) => otel);
    expect(histograms.filter((name) => !told.has(name))).toEqual([]);
  });

  test('go to the global provider where none is given', async () => {
    const { reader, provider } = sdk();
    metrics.setGlobalMeterProvider(provider);
    cleanups.push(() => metrics.disable());
    const { spillway } = await busy();
    cleanups.push(openTelemetry(spillway, { tracer: false }));
    await spillway.dependency('quotes').call(() => 1);
    expect((await reader.read()).get('spillway.operations')?.dataPoints[0]).toMatchObject({
      value: 1,
      attributes: { 'spillway.dependency': 'quotes', 'spillway.outcome': 'success' },
    });
  });

  test('end when they are stopped', async () => {
    const { reader, meter } = sdk();
    const { spillway } = await busy();
    const stop = openTelemetry(spillway, { meter, tracer: false });
    stop();
    await spillway.dependency('quotes').call(() => 1);
    expect([...(await reader.read()).keys()]).toEqual([]);
    expect(spillway.events.enabled).toBe(false);
  });

  test('cost nothing without an SDK, or when they are not wanted', async () => {
    const { spillway } = await busy();
    openTelemetry(spillway, { tracer: false });
    openTelemetry(spillway, { tracer: false, meter: false });
    expect(spillway.events.enabled).toBe(false);
  });
});

/** Events of a gate and an idempotency engine that are not there. */
const KEYED: readonly SpillwayEvent[] = [
  { type: 'idempotency.begin', at: 0, key: 'k', decision: 'replay', attempt: 0, waitedMs: 0 },
  { type: 'idempotency.end', at: 0, key: 'k', outcome: 'completed', durationMs: 12 },
  { type: 'inbound.admitted', at: 0, deadlineLeftMs: 900, source: 'default', priority: 'critical' },
  {
    type: 'inbound.admitted',
    at: 0,
    deadlineLeftMs: 80,
    source: 'x-request-budget-ms',
    priority: 'critical',
  },
  { type: 'inbound.end', at: 0, outcome: 'answered', status: 200, durationMs: 7 },
];

function tell(
  spillway: { events: { emit(event: SpillwayEvent): void } },
  events: readonly SpillwayEvent[],
): void {
  for (const event of events) spillway.events.emit(event);
}

/** One series, whatever the order of its labels. */
function keyOf(name: string, labels: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}=${value}`);
  return `${name}{${pairs.toSorted().join()}}`;
}

/** The points of a metric as the series that Prometheus has of them. */
function pointsOf(row: Instrument, metric: MetricData | undefined): [string, number][] {
  return (metric?.dataPoints ?? []).flatMap(({ attributes, value }): [string, number][] => {
    const labels: Record<string, unknown> = { [SERVICE.name]: attributes[SERVICE.attribute] };
    for (const { name, attribute } of row.labels) labels[name] = attributes[attribute];
    if (typeof value === 'number') return [[keyOf(row.name, labels), value]];
    const { count, sum, buckets } = value as { count: number; sum: number; buckets: { counts: number[] } };
    return [
      [keyOf(`${row.name}_count`, labels), count],
      [keyOf(`${row.name}_sum`, labels), sum],
      [keyOf(`${row.name}_bucket`, { ...labels, le: row.buckets?.[0] }), buckets.counts[0] ?? 0],
    ];
  });
}
