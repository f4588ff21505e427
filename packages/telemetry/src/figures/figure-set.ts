import { type Instrument, instrument, type Label } from '@spillway/core/instruments';
import { Counter } from './counter.js';
import { ClosedDim, type Dim, OpenDim } from './dims.js';
import { Histogram } from './histogram.js';
import type { Labels, Sample } from './sample.js';

export interface SetOptions {
  /** Labels that every series of the set has. */
  readonly base: Labels;
  /** Limits of open labels, by name, in place of those of the instrument table. */
  readonly limits: Readonly<Record<string, number | undefined>>;
  /** Called with the label each time a value beyond its limit is met. */
  readonly folded: (label: Label) => void;
}

const MS_PER_S = 1000;

const closedDims = new Map<Label, ClosedDim>();

/** A label of an instrument with all its values, as numbers. */
export function closedDim(name: string, labelName: string): ClosedDim {
  return closed(labelOf(name, labelName));
}

function closed(label: Label): ClosedDim {
  let dim = closedDims.get(label);
  if (dim === undefined) {
    dim = new ClosedDim(label, label.values ?? []);
    closedDims.set(label, dim);
  }
  return dim;
}

/** A label of an instrument, by both names. @throws RangeError when there is none */
export function labelOf(name: string, labelName: string): Label {
  const label = instrument(name).labels.find((other) => other.name === labelName);
  if (label === undefined) throw new RangeError(`no label ${labelName} on ${name}`);
  return label;
}

/** The series of several instruments that share their first labels and the numbers of their open ones. */
export class FigureSet {
  readonly #options: SetOptions;
  readonly #dims = new Map<Label, Dim>();
  readonly #counters = new Map<string, Counter>();
  readonly #histograms = new Map<string, Histogram>();

  /** @param own what stands for an open label, where that is more than the first values to come */
  constructor(rows: readonly Instrument[], options: SetOptions, own: readonly Dim[] = []) {
    this.#options = options;
    for (const dim of own) this.#dims.set(dim.label, dim);
    for (const row of rows) if (row.snapshot === undefined) this.#make(row);
  }

  counter(name: string): Counter {
    return this.#counters.get(name) ?? missing(name);
  }

  histogram(name: string): Histogram {
    return this.#histograms.get(name) ?? missing(name);
  }

  /** The label as numbers; an open one's are shared by all instruments of the set. */
  dim(label: Label): Dim {
    if (label.values !== undefined) return closed(label);
    let dim = this.#dims.get(label);
    if (dim === undefined) {
      const { limits, folded } = this.#options;
      dim = new OpenDim(label, limits[label.name] ?? label.limit ?? 0, () => folded(label));
      this.#dims.set(label, dim);
    }
    return dim;
  }

  /** Counts under these values, in the order of the instrument table. For what does not happen in every operation. */
  count(name: string, values: readonly string[], amount = 1): void {
    const counter = this.counter(name);
    const [a = 0, b = 0, c = 0, d = 0] = values.map((value, at) => counter.dims[at]?.index(value) ?? 0);
    counter.add(a, b, c, d, amount);
  }

  /** @param value in ms where the instrument's unit is seconds */
  observe(name: string, label: string | undefined, value: number): void {
    const histogram = this.histogram(name);
    histogram.observe(label === undefined ? 0 : (histogram.dims[0]?.index(label) ?? 0), value);
  }

  read(name: string, into: Sample[]): void {
    const series = this.#counters.get(name) ?? this.#histograms.get(name);
    series?.read(this.#options.base, into);
  }

  reset(): void {
    for (const series of [...this.#counters.values(), ...this.#histograms.values()]) series.reset();
  }

  #make({ name, kind, unit, labels, buckets = [] }: Instrument): void {
    const dims = labels
      .filter((label) => !(label.name in this.#options.base))
      .map((label) => this.dim(label));
    if (kind === 'counter') this.#counters.set(name, new Counter(dims));
    if (kind !== 'histogram') return;
    this.#histograms.set(name, new Histogram(name, buckets, dims, unit === 's' ? MS_PER_S : 1));
  }
}

function missing(name: string): never {
  throw new RangeError(`${name} is not counted here`);
}
