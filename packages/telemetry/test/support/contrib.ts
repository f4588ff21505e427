import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Instrument, instrument, SERVICE } from '@spillway/core/instruments';

/** One query of the dashboard, or one condition of an alert. */
export interface Query {
  readonly where: string;
  readonly expr: string;
}

interface Target {
  readonly expr: string;
}

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly Target[];
}

interface Dashboard {
  readonly panels: readonly Panel[];
  readonly annotations: { readonly list: readonly (Target & { readonly name: string })[] };
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

export const CONTRIB: string = fileURLToPath(new URL('../../../../contrib/', import.meta.url));

export function readDashboard(): Dashboard {
  return JSON.parse(readFileSync(`${CONTRIB}grafana/spillway.json`, 'utf8')) as Dashboard;
}

/** All queries of the Grafana dashboard. */
export function dashboardQueries(): Query[] {
  const { panels, annotations } = readDashboard();
  const ofPanels = panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ where: title, expr })),
  );
  return [...ofPanels, ...annotations.list.map(({ name, expr }) => ({ where: name, expr }))];
}

/** All conditions of the alerts: blocks after `expr: |`, each under its `alert:`. */
export function alertQueries(): Query[] {
  const text = readFileSync(`${CONTRIB}prometheus/alerts.yml`, 'utf8');
  return text
    .split('- alert: ')
    .slice(1)
    .map((block) => {
      const where = block.split('\n', 1)[0] ?? '';
      const expr = /expr: \|\n((?: {10}.*\n)+)/.exec(block)?.[1];
      if (expr === undefined) throw new Error(`no condition found in the alert ${where}`);
      return { where, expr };
    });
}

/** The instrument of a series, which for histograms has an ending. @throws RangeError when there is none */
export function instrumentOf(series: string): Instrument {
  const stem = series.replace(/_(?:bucket|sum|count)$/, '');
  return stem !== series && instrument(stem).kind === 'histogram' ? instrument(stem) : instrument(series);
}

/** The series that a query reads, with the labels it matches on. */
export function selectorsOf(expr: string): { readonly series: string; readonly labels: string[] }[] {
  return [...expr.matchAll(/\b(spillway_\w+)(?:\{([^}]*)\})?/g)].map(([, series = '', matchers = '']) => ({
    series,
    labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
  }));
}

/** Labels by which a query groups or joins. */
export function groupingsOf(expr: string): string[] {
  return [...expr.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
}

/** Labels that series of an instrument have. */
export function labelsOf(series: string): string[] {
  const { kind, labels } = instrumentOf(series);
  const own = [SERVICE.name, ...labels.map(({ name }) => name)];
  return kind === 'histogram' && series.endsWith('_bucket') ? [...own, 'le'] : own;
}
