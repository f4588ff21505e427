import type { Dim } from './dims.js';

/** One line of the Prometheus text, in the form prom-client takes it. */
export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Of histograms: `..._bucket`, `..._sum` or `..._count`. */
  readonly metricName?: string;
}

export type Labels = Readonly<Record<string, string | number>>;

/** The labels of a cell; undefined when one of its values is not shown. */
export function labelsAt(dims: readonly Dim[], cell: number, base: Labels): Labels | undefined {
  const labels: Record<string, string | number> = { ...base };
  let rest = cell;
  for (let d = dims.length - 1; d >= 0; d--) {
    const dim = dims[d] as Dim;
    const text = dim.text(rest % dim.radix);
    if (text === undefined) return undefined;
    labels[dim.label.name] = text;
    rest = Math.floor(rest / dim.radix);
  }
  return labels;
}

/** How many cells there can be: the first label alone may be open. */
export function cellsOf(dims: readonly Dim[]): number {
  return dims.reduce((cells, { radix }, d) => cells * (d === 0 ? (dims[0]?.size ?? 1) : radix), 1);
}
