import type { Attributes, BatchObservableCallback, Histogram, Meter, Observable } from '@opentelemetry/api';
import type { SpillwayEvent } from '@spillway/core';
import { INSTRUMENTS, type Instrument, SERVICE } from '@spillway/core/instruments';
import { isKnownKey } from '../figures/known-keys.js';
import { Recorder } from '../figures/recorder.js';
import type { Sample } from '../figures/sample.js';
import { type MeasuredSpillway, Source } from '../figures/source.js';
import { recordHistograms } from './histograms.js';

/**
 * The metrics of a spillway by the instrument table. What is counted, is counted in plain numbers and read out when
 * the SDK collects, so an operation pays for its histograms alone. The accumulators are those behind Prometheus.
 * @returns the way to stop
 */
export function measure(spillway: MeasuredSpillway, meter: Meter): () => void {
  const mayShow = (dependency: string, key: string) => isKnownKey(spillway, dependency, key);
  const source = new Source(spillway, new Recorder(spillway, { limits: {}, mayShow }));
  const read = INSTRUMENTS.filter(({ kind }) => kind !== 'histogram').map((row) => observableOf(meter, row));
  const observables = read.map(({ observable }) => observable);
  const collect: BatchObservableCallback = (result) => {
    for (const { row, observable } of read) {
      const samples: Sample[] = [];
      source.read(row.name, samples);
      for (const { labels, value } of samples) result.observe(observable, value, attributesOf(row, labels));
    }
  };
  meter.addBatchObservableCallback(collect, observables);
  const quiet = spillway.subscribe(histogramsOf(meter, spillway.service));
  return () => {
    source.stop();
    quiet();
    meter.removeBatchObservableCallback(collect, observables);
  };
}

interface ReadOut {
  readonly row: Instrument;
  readonly observable: Observable;
}

function observableOf(meter: Meter, row: Instrument): ReadOut {
  const options = { unit: row.unit, description: row.help };
  const observable =
    row.kind === 'counter'
      ? meter.createObservableCounter(row.otel, options)
      : meter.createObservableGauge(row.otel, options);
  return { row, observable };
}

function attributesOf({ labels }: Instrument, values: Sample['labels']): Attributes {
  const attributes: Attributes = { [SERVICE.attribute]: values[SERVICE.name] };
  for (const { name, attribute } of labels) attributes[attribute] = values[name];
  return attributes;
}

/** An observer that records the histograms. Those of an instant without bound have no bucket. */
function histogramsOf(meter: Meter, service: string): (event: SpillwayEvent) => void {
  const made = new Map<string, { readonly row: Instrument; readonly histogram: Histogram }>();
  for (const row of INSTRUMENTS) {
    if (row.kind !== 'histogram') continue;
    const advice = { explicitBucketBoundaries: [...(row.buckets ?? [])] };
    const histogram = meter.createHistogram(row.otel, { unit: row.unit, description: row.help, advice });
    made.set(row.name, { row, histogram });
  }
  const record = (name: string, value: number, values: readonly string[]): void => {
    const known = made.get(name);
    if (known === undefined || !Number.isFinite(value)) return;
    const attributes: Attributes = { [SERVICE.attribute]: service };
    for (const [index, { attribute }] of known.row.labels.entries()) attributes[attribute] = values[index];
    known.histogram.record(value, attributes);
  };
  return (event) => recordHistograms(record, event);
}
