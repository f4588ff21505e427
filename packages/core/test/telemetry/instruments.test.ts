import { describe, expect, test } from '@jest/globals';
import {
  FIGURES,
  INSTRUMENTS,
  instrument,
  OVERFLOW,
  prometheusName,
  SERVICE,
} from '../../src/telemetry/instruments.js';

describe('the instrument table', () => {
  test('names follow from the OpenTelemetry ones as an exporter would make them', () => {
    expect(INSTRUMENTS.map(({ name }) => name)).toEqual(INSTRUMENTS.map(prometheusName));
  });

  test('no name is used twice, and each is legal in Prometheus', () => {
    const names = INSTRUMENTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^spillway(_[a-z]+)+$/);
  });

  test('each instrument is moved by events or read off the snapshot, gauges never by events', () => {
    for (const { name, kind, events, snapshot } of INSTRUMENTS) {
      if (name === 'spillway_telemetry_folded_total') continue;
      expect({ name, fed: events.length > 0 || snapshot !== undefined }).toEqual({ name, fed: true });
      if (kind === 'gauge') expect({ name, events }).toEqual({ name, events: [] });
    }
  });

  test('histograms have ascending bounds, nothing else has bounds', () => {
    for (const { kind, buckets } of INSTRUMENTS) {
      expect(buckets !== undefined).toBe(kind === 'histogram');
      expect(buckets).toEqual(buckets === undefined ? undefined : [...buckets].sort((a, b) => a - b));
    }
  });

  test('labels have a closed set of values or a limit; only the dependency is bounded by the configuration', () => {
    const labels = new Set(INSTRUMENTS.flatMap((row) => row.labels));
    const unbounded = [...labels].filter(
      ({ values, limit }) => (values === undefined) === (limit === undefined),
    );
    expect(unbounded.map(({ name }) => name)).toEqual(['dependency']);
    for (const { values } of labels) expect(new Set(values).size).toBe(values?.length ?? 0);
  });

  test('no instrument has a label twice, or the one that tells spillways apart', () => {
    for (const { labels } of INSTRUMENTS) {
      const names = [SERVICE, ...labels].map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('operations and attempts share no instrument', () => {
    const both = INSTRUMENTS.filter(({ events }) => {
      const text = events.join(' ');
      return text.includes('operation.') && text.includes('attempt.');
    });
    expect(both).toEqual([]);
  });

  test('figures are made of instruments that exist', () => {
    const names = FIGURES.flatMap(({ promql }) => promql.match(/spillway_\w+/g) ?? []);
    expect(names.length).toBeGreaterThanOrEqual(FIGURES.length * 2);
    for (const name of names) expect(instrument(name).name).toBe(name);
  });

  test('a misspelt name is refused', () => {
    expect(() => instrument('spillway_operatoins_total')).toThrow(RangeError);
    expect(OVERFLOW).toBe('other');
  });
});
