import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { FIGURES, INSTRUMENTS } from '@spillway/core/instruments';
import {
  alertQueries,
  CONTRIB,
  dashboardQueries,
  groupingsOf,
  instrumentOf,
  labelsOf,
  readDashboard,
  selectorsOf,
} from '../support/contrib.js';

const FIGURE_QUERIES = FIGURES.map(({ id, promql }) => ({ where: id, expr: promql }));
const QUERIES = [...dashboardQueries(), ...alertQueries(), ...FIGURE_QUERIES];

describe('queries in contrib and on the page of metrics', () => {
  test('are found', () => {
    expect(dashboardQueries().length).toBeGreaterThan(60);
    expect(alertQueries().map(({ where }) => where)).toEqual([
      'SpillwayBreakerStaysOpen',
      'SpillwayBreakerFlapping',
      'SpillwaySlowUnderSuccess',
      'SpillwayRetryStorm',
      'SpillwayBudgetExhausted',
      'SpillwayShedsCritical',
      'SpillwayFallbackRate',
      'SpillwayObserverFails',
    ]);
  });

  test('read series that exist, by labels that these have', () => {
    for (const { where, expr } of QUERIES) {
      const selectors = selectorsOf(expr);
      expect({ where, reads: selectors.length > 0 }).toEqual({ where, reads: true });
      for (const { series, labels } of selectors) {
        expect({
          where,
          series,
          unknown: labels.filter((label) => !labelsOf(series).includes(label)),
        }).toEqual({
          where,
          series,
          unknown: [],
        });
      }
    }
  });

  test('match closed labels by values that these have', () => {
    for (const { where, expr } of QUERIES) {
      for (const [, series = '', matchers = ''] of expr.matchAll(/\b(spillway_\w+)\{([^}]*)\}/g)) {
        for (const [, name, value = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)) {
          const values = instrumentOf(series).labels.find((label) => label.name === name)?.values;
          const unknown = values === undefined ? [] : value.split('|').filter((one) => !values.includes(one));
          expect({ where, series, name, unknown }).toEqual({ where, series, name, unknown: [] });
        }
      }
    }
  });

  test('group by labels that all of their series have', () => {
    for (const { where, expr } of QUERIES) {
      for (const { series } of selectorsOf(expr)) {
        const known = ['le', ...labelsOf(series)];
        const unknown = groupingsOf(expr).filter((label) => !known.includes(label));
        expect({ where, series, unknown }).toEqual({ where, series, unknown: [] });
      }
    }
  });

  test('quantiles are taken of buckets, grouped by their bounds', () => {
    for (const { where, expr } of QUERIES) {
      const quantiles = expr.split('histogram_quantile(').length - 1;
      const buckets = selectorsOf(expr).filter(({ series }) => series.endsWith('_bucket')).length;
      const bounds = groupingsOf(expr).filter((label) => label === 'le').length;
      expect({ where, buckets, bounds }).toEqual({ where, buckets: quantiles, bounds: quantiles });
    }
  });

  test('rates are taken of counters and histograms, never of gauges', () => {
    for (const { where, expr } of QUERIES) {
      for (const [, series = ''] of expr.matchAll(/\b(?:rate|increase)\((spillway_\w+)/g)) {
        expect({ where, series, kind: instrumentOf(series).kind }).not.toMatchObject({ kind: 'gauge' });
      }
    }
  });

  test('each alert has a test', () => {
    const tested = readFileSync(`${CONTRIB}prometheus/alerts.test.yml`, 'utf8');
    for (const { where } of alertQueries())
      expect(tested).toContain(`alertname: ${where}\n        exp_alerts:\n`);
  });
});

describe('the Grafana dashboard', () => {
  test('shows every instrument', () => {
    const shown = new Set(
      dashboardQueries().flatMap(({ expr }) =>
        selectorsOf(expr).map(({ series }) => instrumentOf(series).name),
      ),
    );
    expect(INSTRUMENTS.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });

  test('takes its variables from series that exist', () => {
    const definitions = readDashboard().templating.list.flatMap(({ definition }) => definition ?? []);
    expect(definitions).toHaveLength(2);
    for (const definition of definitions) {
      for (const { series } of selectorsOf(definition)) expect(instrumentOf(series).name).toBe(series);
    }
  });

  test('places panels side by side without overlap, with an id of their own', () => {
    const { panels } = readDashboard();
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const taken = new Set<string>();
    for (const { gridPos } of panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(taken.has(`${x},${y}`)).toBe(false);
          taken.add(`${x},${y}`);
        }
      }
    }
  });
});
