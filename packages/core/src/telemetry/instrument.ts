import type { EventType } from './events.js';
import type { Label } from './labels.js';

/** What can move an instrument: events of a spillway, and those of its engine of idempotency keys. */
export type Feed =
  | EventType
  | 'idempotency.begin'
  | 'idempotency.end'
  | 'idempotency.lost'
  | 'idempotency.store-error';

export type InstrumentKind = 'counter' | 'gauge' | 'histogram';

/** One figure of Spillway's: its names, what it counts, and where that comes from. */
export interface Instrument {
  /**
   * Its name in Prometheus. It follows from the OpenTelemetry name as an exporter of OpenTelemetry would make it: dots
   * become underscores, the unit's word and, for counters, `_total` are appended.
   */
  readonly name: string;
  /** Its name in OpenTelemetry. */
  readonly otel: string;
  readonly kind: InstrumentKind;
  /** `s`, `1` for a share, or what is counted in braces (UCUM, as OpenTelemetry writes it). */
  readonly unit: string;
  /** In the order in which accumulators take their values. Their number and their values are bounded. */
  readonly labels: readonly Label[];
  /** Of a histogram: upper bounds, ascending; one more bucket without a bound follows. */
  readonly buckets?: readonly number[];
  readonly help: string;
  /** A few words for a chart. */
  readonly legend: string;
  /** Events that move it; none for what is read off `spillway.snapshot()`. */
  readonly events: readonly Feed[];
  /** Where in the snapshot its value stands; none for what events move. */
  readonly snapshot?: string;
}
