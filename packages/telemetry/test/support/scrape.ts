import type { AnyRegistry } from '../../src/prometheus/index.js';

/** One line of the Prometheus text. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What a registry says, line by line. */
export async function scrape(registry: AnyRegistry): Promise<Series[]> {
  return parse(await registry.metrics());
}

export function parse(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const match = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
      if (match === null) throw new Error(`no line of Prometheus text: ${line}`);
      const [, name = '', labels = '', value = ''] = match;
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
      return { name, labels: Object.fromEntries(pairs), value: value === '+Inf' ? Infinity : Number(value) };
    });
}

/** Sum of the series of a name that have these labels. */
export function sum(series: readonly Series[], name: string, where: Record<string, string> = {}): number {
  return find(series, name, where).reduce((total, { value }) => total + value, 0);
}

export function find(series: readonly Series[], name: string, where: Record<string, string> = {}): Series[] {
  const wanted = Object.entries(where);
  return series.filter(
    (one) => one.name === name && wanted.every(([label, value]) => one.labels[label] === value),
  );
}
