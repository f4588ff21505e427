import type { Instrument } from './instrument.js';
import { SECONDS } from './instruments-dependency.js';
import * as L from './labels.js';

const IDEMPOTENCY: readonly Instrument[] = [
  {
    name: 'spillway_idempotency_requests_total',
    otel: 'spillway.idempotency.requests',
    kind: 'counter',
    unit: '{request}',
    labels: [L.DECISION],
    help: 'Requests with an idempotency key: `run` is a first one, `replay` got the stored answer, `in-progress` (409) and `mismatch` (422) are conflicts.',
    legend: 'keyed requests',
    events: ['idempotency.begin'],
  },
  {
    name: 'spillway_idempotency_runs_total',
    otel: 'spillway.idempotency.runs',
    kind: 'counter',
    unit: '{request}',
    labels: [L.ENDING],
    help: 'Runs under a key that ended, by what became of their answer.',
    legend: 'keyed runs',
    events: ['idempotency.end'],
  },
  {
    name: 'spillway_idempotency_run_duration_seconds',
    otel: 'spillway.idempotency.run.duration',
    kind: 'histogram',
    unit: 's',
    labels: [L.ENDING],
    buckets: SECONDS,
    help: 'How long runs under a key took.',
    legend: 'keyed run duration',
    events: ['idempotency.end'],
  },
  {
    name: 'spillway_idempotency_lost_total',
    otel: 'spillway.idempotency.lost',
    kind: 'counter',
    unit: '{request}',
    labels: [],
    help: 'Runs whose key was taken over while they ran.',
    legend: 'lost keys',
    events: ['idempotency.lost'],
  },
  {
    name: 'spillway_idempotency_store_errors_total',
    otel: 'spillway.idempotency.store_errors',
    kind: 'counter',
    unit: '{error}',
    labels: [L.STORE_OPERATION, L.TIMEOUT],
    help: 'Failures of the store of idempotency keys.',
    legend: 'store errors',
    events: ['idempotency.store-error'],
  },
];

const SELF: readonly Instrument[] = [
  {
    name: 'spillway_observer_failures_total',
    otel: 'spillway.observer.failures',
    kind: 'counter',
    unit: '{error}',
    labels: [],
    help: 'Exceptions thrown by observers, metrics and logs among them. Requests do not notice.',
    legend: 'observer failures',
    events: [],
    snapshot: 'observerFailures',
  },
  {
    name: 'spillway_telemetry_folded_total',
    otel: 'spillway.telemetry.folded',
    kind: 'counter',
    unit: '{value}',
    labels: [L.FOLDED],
    help: 'How often a value beyond the limit of its label was counted as `other`.',
    legend: 'folded values',
    events: [],
  },
];

export const OTHER_INSTRUMENTS: readonly Instrument[] = [...IDEMPOTENCY, ...SELF];
