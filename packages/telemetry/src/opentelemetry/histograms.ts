import type { EventOf, EventType, SpillwayEvent } from '@spillway/core';

/** Records a value under the values of its labels, in the order of the instrument table. */
export type RecordValue = (name: string, value: number, labels: readonly string[]) => void;

type Recorders = {
  readonly [K in EventType]?: (record: RecordValue, event: EventOf<K>) => void;
};

const MS_PER_S = 1000;

/** Which histograms of the instrument table an event moves. Counters and gauges are read out, these are not. */
const RECORDERS: Recorders = {
  'operation.end': (record, { dependency, outcome, durationMs, attempts }) => {
    record('spillway_operation_duration_seconds', durationMs / MS_PER_S, [dependency, outcome]);
    record('spillway_operation_attempts', attempts, [dependency]);
  },
  'attempt.end': (record, { dependency, result, durationMs }) =>
    record('spillway_attempt_duration_seconds', durationMs / MS_PER_S, [dependency, result]),
  'retry.scheduled': (record, { dependency, delayMs }) =>
    record('spillway_retry_delay_seconds', delayMs / MS_PER_S, [dependency]),
  'bulkhead.dequeued': (record, { dependency, waitedMs }) =>
    record('spillway_bulkhead_wait_seconds', waitedMs / MS_PER_S, [dependency]),
  'inbound.admitted': (record, { source, deadlineLeftMs }) =>
    record('spillway_inbound_deadline_left_seconds', deadlineLeftMs / MS_PER_S, [source]),
  'inbound.end': (record, { outcome, durationMs }) =>
    record('spillway_inbound_duration_seconds', durationMs / MS_PER_S, [outcome]),
  'idempotency.end': (record, { outcome, durationMs }) =>
    record('spillway_idempotency_run_duration_seconds', durationMs / MS_PER_S, [outcome]),
};

export function recordHistograms(record: RecordValue, event: SpillwayEvent): void {
  // each row takes events of its own type
  const recorder = RECORDERS[event.type] as ((record: RecordValue, event: SpillwayEvent) => void) | undefined;
  if (recorder !== undefined) recorder(record, event);
}
