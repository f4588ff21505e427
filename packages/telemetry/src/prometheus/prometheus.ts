import type { IncomingMessage, ServerResponse } from 'node:http';
import { register } from 'prom-client';
import { isKnownKey } from '../figures/known-keys.js';
import { Recorder } from '../figures/recorder.js';
import { type MeasuredSpillway, Source } from '../figures/source.js';
import { checkMethod, checkNames, misuse } from '../given-options.js';
import { type AnyRegistry, type Collector, collectorOf } from './collector.js';

export interface PrometheusOptions {
  /** Where the metrics are registered. Default: prom-client's own `register`. Several spillways may share one. */
  readonly registry?: AnyRegistry;
  /**
   * How many values of a label that users name are told apart, per dependency; the others count as `other`, and
   * `spillway_telemetry_folded_total` tells how often. Defaults: the `limit` column of docs/reference/metrics.md.
   * Whole numbers from 0 to 10000.
   */
  readonly limits?: {
    readonly operation?: number;
    readonly breaker?: number;
    readonly source?: number;
    readonly header?: number;
  };
  /**
   * Which keys of breakers may be seen in labels. `known` (default): the dependency's name and, with scope `origin`,
   * origins; keys made of paths or by functions may hold ids and count as `other`. `all`: every key, up to the limit.
   */
  readonly breakerKeys?: 'known' | 'all';
}

/** The metrics of one spillway. */
export interface PrometheusMetrics {
  readonly registry: AnyRegistry;
  /** Answers with the registry's text: for `http.createServer`, or a route that the gate does not hold up. */
  readonly handler: (req: IncomingMessage, res: ServerResponse) => void;
  /** Takes this spillway's series out of the registry and stops counting. */
  readonly stop: () => void;
}

const NAME = 'prometheus';
const MOST = 10_000;
/** Labels that users name. */
const LIMITED = ['operation', 'breaker', 'source', 'header'];

/**
 * Shows a spillway in Prometheus. Events are counted in plain numbers and read out when somebody scrapes, so an
 * operation pays for a few additions. Called again for the same spillway and registry it counts nothing twice and keeps
 * the options of the first call.
 * @throws SpillwayError ERR_CONFIG naming the option that is wrong; a registry that refuses a metric throws nothing and is counted in
 * `snapshot().observerFailures`
 */
export function prometheus(spillway: MeasuredSpillway, options: PrometheusOptions = {}): PrometheusMetrics {
  checkNames(NAME, options, ['registry', 'limits', 'breakerKeys']);
  const { registry = register, limits = {}, breakerKeys = 'known' } = options;
  checkMethod(NAME, 'registry', registry, 'registerMetric');
  checkLimits(limits);
  if (breakerKeys !== 'known' && breakerKeys !== 'all')
    throw misuse(NAME, `breakerKeys: '${String(breakerKeys)}' is neither 'known' nor 'all'`);
  const collector = collectorOf(registry);
  const known = collector.find(spillway);
  if (known !== undefined) return handleOf(registry, collector, known);
  const mayShow = (name: string, key: string) => breakerKeys === 'all' || isKnownKey(spillway, name, key);
  const recorder = new Recorder(spillway, { limits, mayShow });
  const source = new Source(spillway, recorder);
  collector.add(source);
  return handleOf(registry, collector, source);
}

function handleOf(registry: AnyRegistry, collector: Collector, source: Source): PrometheusMetrics {
  return {
    registry,
    handler: (_req, res) => void answer(registry, res),
    stop: () => {
      source.stop();
      collector.remove(source);
    },
  };
}

async function answer(registry: AnyRegistry, res: ServerResponse): Promise<void> {
  try {
    const text = await registry.metrics();
    res.writeHead(200, { 'content-type': registry.contentType });
    res.end(text);
  } catch (error) {
    // another collector of the registry failed: who scrapes must see it, nobody else
    res.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' });
    res.end(`The registry could not be read: ${String(error)}\n`);
  }
}

function checkLimits(limits: Readonly<Record<string, number | undefined>>): void {
  checkNames(`${NAME}: limits`, limits, LIMITED);
  for (const [name, limit] of Object.entries(limits)) {
    if (limit === undefined || (Number.isInteger(limit) && limit >= 0 && limit <= MOST)) continue;
    throw misuse(NAME, `limits.${name} is ${String(limit)}; give a whole number from 0 to ${MOST}`);
  }
}
