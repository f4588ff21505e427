import type { Instrument } from './instrument.js';
import { DEPENDENCY_INSTRUMENTS } from './instruments-dependency.js';
import { GUARD_INSTRUMENTS } from './instruments-guard.js';
import { INBOUND_INSTRUMENTS } from './instruments-inbound.js';
import { OTHER_INSTRUMENTS } from './instruments-other.js';

export { FIGURES, type Figure } from './figures.js';
export type { Instrument, InstrumentKind } from './instrument.js';
export { type Label, OVERFLOW, SERVICE } from './labels.js';

/**
 * Every figure that Spillway tells: the one table of Prometheus, OpenTelemetry, the reference page and the dashboard.
 * Operations and attempts are series of their own and never mix. Beside its labels each series has `SERVICE`.
 */
export const INSTRUMENTS: readonly Instrument[] = [
  ...DEPENDENCY_INSTRUMENTS,
  ...GUARD_INSTRUMENTS,
  ...INBOUND_INSTRUMENTS,
  ...OTHER_INSTRUMENTS,
];

const byName = new Map(INSTRUMENTS.map((row) => [row.name, row]));

/** The row of a Prometheus name. @throws RangeError when there is none: a misspelt one must not pass */
export function instrument(name: string): Instrument {
  const row = byName.get(name);
  if (row === undefined) throw new RangeError(`no instrument ${name} in the instrument table`);
  return row;
}

/** The Prometheus name that an OpenTelemetry instrument gets in export: dots to underscores, unit, `_total`. */
export function prometheusName({ otel, kind, unit }: Pick<Instrument, 'otel' | 'kind' | 'unit'>): string {
  const parts = [otel.replaceAll('.', '_')];
  if (unit === 's') parts.push('seconds');
  if (unit === '1') parts.push('ratio');
  if (kind === 'counter') parts.push('total');
  return parts.join('_');
}
