import type { Dim } from './dims.js';

/** One line of the Prometheus text, in the form prom-client takes it. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Of histograms: `..._bucket`, `..._sum` or `..._count`. */
  readonly metricName?: string;
}

export type Labels = Readonly<Record<string, string | number>>;

/** The labels of a cell, in the order of the table; undefined when one of its values is not shown. */
export function labelsAt(dims: readonly Dim[], cell: number, base: Labels): Labels | undefined {
  const labels: Record<string, string | number> = { ...base };
  let width = dims.reduce((product, { radix }) => product * radix, 1);
  let rest = cell;
  for (const dim of dims) {
    width /= dim.radix;
    const text = dim.text(Math.floor(rest / width));
    if (text === undefined) return undefined;
    labels[dim.label.name] = text;
    rest %= width;
  }
  return labels;
}

/** How many cells there can be: the first label alone may be open. */
export function cellsOf(dims: readonly Dim[]): number {
  return dims.reduce((cells, { radix }, d) => cells * (d === 0 ? (dims[0]?.size ?? 1) : radix), 1);
}
