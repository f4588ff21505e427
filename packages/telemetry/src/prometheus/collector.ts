import { INSTRUMENTS, type Instrument } from '@spillway/core/instruments';
import type { Metric, OpenMetricsContentType, Registry } from 'prom-client';
import type { Sample } from '../figures/sample.js';
import type { Source } from '../figures/source.js';

/** One that speaks Prometheus' own text, or OpenMetrics. */
export type AnyRegistry = Registry | Registry<OpenMetricsContentType>;

const collectors = new WeakMap<AnyRegistry, Collector>();

/** The one collector of a registry, however many spillways it shows. */
export function collectorOf(registry: AnyRegistry): Collector {
  let collector = collectors.get(registry);
  if (collector === undefined) {
    collector = new Collector(registry);
    collectors.set(registry, collector);
  }
  return collector;
}

/** Registers the instruments once, and answers from all sources. */
export class Collector {
  readonly #registry: AnyRegistry;
  readonly #sources = new Set<Source>();
  readonly #metrics: readonly TableMetric[];

  constructor(registry: AnyRegistry) {
    this.#registry = registry;
    this.#metrics = INSTRUMENTS.map((row) => new TableMetric(row, this.#sources));
  }

  find(spillway: Source['spillway']): Source | undefined {
    for (const source of this.#sources) if (source.spillway === spillway) return source;
    return undefined;
  }

  add(source: Source): void {
    this.#sources.add(source);
    try {
      // again each time: the registry may have been cleared
      for (const metric of this.#metrics) this.#registry.registerMetric(metric as unknown as Metric<string>);
    } catch (error) {
      source.fail(error);
    }
  }

  remove(source: Source): void {
    if (!this.#sources.delete(source) || this.#sources.size > 0) return;
    for (const { key } of this.#metrics) this.#registry.removeSingleMetric(key);
  }
}

/** A metric in the form in which prom-client's registry asks for it: `get` when it is read, `reset` on demand. */
class TableMetric {
  /** Registries that speak OpenMetrics take the `_total` off. */
  name: string;
  readonly key: string;
  readonly help: string;
  readonly type: Instrument['kind'];
  /** How a cluster's primary joins its workers. */
  readonly aggregator: 'sum' | 'average';
  readonly #sources: ReadonlySet<Source>;

  constructor({ name, help, kind, unit }: Instrument, sources: ReadonlySet<Source>) {
    this.name = name;
    this.key = name;
    this.help = help;
    this.type = kind;
    this.aggregator = unit === '1' ? 'average' : 'sum';
    this.#sources = sources;
  }

  get(): Readonly<Record<string, unknown>> {
    const { name, help, type, aggregator } = this;
    return { name, help, type, aggregator, values: this.#values() };
  }

  reset(): void {
    for (const { recorder } of this.#sources) recorder.reset();
  }

  #values(): Sample[] {
    const samples: Sample[] = [];
    for (const source of this.#sources) source.read(this.key, samples);
    return this.#sources.size > 1 ? merged(samples, this.aggregator) : samples;
  }
}

/** Spillways of the same name are one: a series must not be there twice. A share of both is their mean. */
function merged(samples: readonly Sample[], aggregator: TableMetric['aggregator']): Sample[] {
  const groups = new Map<string, Sample[]>();
  for (const sample of samples) {
    const key = `${sample.metricName}${JSON.stringify(sample.labels)}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [sample]);
    else group.push(sample);
  }
  return Array.from(groups.values(), ([first, ...others]) => {
    const sum = others.reduce((all, { value }) => all + value, first?.value ?? 0);
    return { ...(first as Sample), value: aggregator === 'sum' ? sum : sum / (others.length + 1) };
  });
}
