import { describe, expect, test } from '@jest/globals';
import { createSpillway, type SpillwayEvent } from '@spillway/core';
import { INSTRUMENTS } from '@spillway/core/instruments';
import { Registry } from 'prom-client';
import { prometheus } from '../../src/prometheus/index.js';
import { find, scrape, sum } from '../support/scrape.js';

const OP = { dependency: 'quotes', operation: 'GET', id: 1, at: 0 };
const KEY = { at: 0, key: '0123456789abcdef' };

/** At least one event of each kind that moves an instrument. */
const EVENTS: readonly SpillwayEvent[] = [
  { ...OP, type: 'operation.end', outcome: 'failed', code: 'ERR_UPSTREAM', attempts: 3, durationMs: 30 },
  { ...OP, type: 'operation.end', outcome: 'failed', attempts: 1, durationMs: 30 },
  { ...OP, type: 'operation.end', outcome: 'success', attempts: 2, durationMs: 30 },
  {
    ...OP,
    type: 'attempt.end',
    attempt: 1,
    kind: 'timeout',
    result: 'failure',
    sent: 'maybe',
    durationMs: 400,
  },
  { ...OP, type: 'attempt.wasted', attempt: 1, lateMs: 250 },
  { ...OP, type: 'attempt.resend', attempt: 1 },
  { ...OP, type: 'retry.scheduled', attempt: 2, delayMs: 80, reason: 'timeout', remainingMs: 900 },
  { ...OP, type: 'retry.scheduled', attempt: 7, delayMs: 80, reason: 'timeout', remainingMs: 900 },
  { ...OP, type: 'budget.refused', attempt: 3, observed: false },
  { ...OP, type: 'retry.stopped', attempt: 3, stopped: 'budget' },
  { type: 'breaker.transition', at: 0, dependency: 'quotes', key: 'quotes', from: 'closed', to: 'open' },
  { ...OP, type: 'breaker.refused', key: 'quotes', state: 'open', retryAfterMs: 10, observed: true },
  { type: 'breaker.evicted', at: 0, dependency: 'quotes', key: 'other' },
  { ...OP, type: 'bulkhead.queued', queued: 1 },
  { ...OP, type: 'bulkhead.dequeued', waitedMs: 20 },
  { ...OP, type: 'bulkhead.refused', reason: 'full', observed: false },
  { ...OP, type: 'bulkhead.detached' },
  { ...OP, type: 'bulkhead.reattached', afterMs: 10, gaveUp: true },
  { ...OP, type: 'fault.injected', attempt: 1, fault: 'status' },
  { ...OP, type: 'fallback.used', cause: 'ERR_UPSTREAM' },
  { ...OP, type: 'fallback.failed', cause: 'other' },
  { type: 'inbound.admitted', at: 0, deadlineLeftMs: 900, source: 'grpc-timeout', priority: 'critical' },
  {
    type: 'inbound.refused',
    at: 0,
    reason: 'limit',
    priority: 'sheddable',
    retryAfterMs: 1,
    observed: false,
  },
  { type: 'inbound.expired', at: 0, source: 'grpc-timeout' },
  { type: 'inbound.malformed', at: 0, header: 'grpc-timeout' },
  { type: 'inbound.deadline', at: 0, elapsedMs: 10 },
  { type: 'inbound.late', at: 0, how: 'answer' },
  { type: 'inbound.detached', at: 0 },
  { type: 'inbound.fallback', at: 0, how: 'used', code: 'ERR_UPSTREAM' },
  { type: 'inbound.end', at: 0, outcome: 'answered', status: 204, durationMs: 12 },
  { type: 'inbound.end', at: 0, outcome: 'aborted', durationMs: 12 },
  { type: 'inbound.end', at: 0, outcome: 'answered', status: 999, durationMs: 12 },
  { ...KEY, type: 'idempotency.begin', decision: 'replay', attempt: 0, waitedMs: 0 },
  { ...KEY, type: 'idempotency.end', outcome: 'completed', durationMs: 10 },
  { ...KEY, type: 'idempotency.lost' },
  { ...KEY, type: 'idempotency.store-error', operation: 'begin', timeout: true, error: 'ECONNREFUSED' },
];

function shown(events: readonly SpillwayEvent[], limits = {}) {
  const spillway = createSpillway({ service: 'shop', dependencies: { quotes: {} } });
  const registry = new Registry();
  prometheus(spillway, { registry, limits });
  for (const event of events) spillway.events.emit(event);
  return { spillway, registry };
}

async function seriesOf(events: readonly SpillwayEvent[]) {
  return scrape(shown(events).registry);
}

describe('the instruments in Prometheus', () => {
  test('are all moved by the events that the table names, or read off the snapshot', async () => {
    const { spillway, registry } = shown(EVENTS, { source: 0 });
    await spillway.dependency('quotes').call(() => 1);
    const series = await scrape(registry);
    for (const { name, kind, labels } of INSTRUMENTS) {
      const lines = find(series, kind === 'histogram' ? `${name}_count` : name);
      expect({ name, lines: lines.length > 0 }).toEqual({ name, lines: true });
      const expected = ['spillway', ...labels.map((label) => label.name)].sort();
      for (const line of lines) expect(Object.keys(line.labels).sort()).toEqual(expected);
      const moved = lines.some(({ value }) => value > 0);
      if (kind !== 'gauge' && name !== 'spillway_observer_failures_total') {
        expect({ name, moved }).toEqual({ name, moved: true });
      }
    }
    expect(new Set(EVENTS.map(({ type }) => type))).toEqual(
      new Set(INSTRUMENTS.flatMap(({ events }) => events)),
    );
  });

  test('take their help and their type from the table', async () => {
    const text = await shown([]).registry.metrics();
    for (const { name, kind, help } of INSTRUMENTS) {
      expect(text).toContain(`# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n`);
    }
  });

  test('tell operations from attempts', async () => {
    const series = await seriesOf(EVENTS);
    const operations = { spillway: 'shop', dependency: 'quotes', operation: 'GET' };
    expect(sum(series, 'spillway_operations_total', operations)).toBe(3);
    expect(sum(series, 'spillway_operations_total', { outcome: 'failed' })).toBe(2);
    expect(sum(series, 'spillway_attempts_total')).toBe(1);
    expect(sum(series, 'spillway_attempts_total', { kind: 'timeout', result: 'failure' })).toBe(1);
    expect(sum(series, 'spillway_operations_retried_total', { outcome: 'success' })).toBe(1);
    expect(sum(series, 'spillway_operations_retried_total', { outcome: 'failed' })).toBe(1);
    expect(sum(series, 'spillway_operation_errors_total', { code: 'other' })).toBe(1);
    expect(sum(series, 'spillway_operation_attempts_sum')).toBe(6);
    expect(sum(series, 'spillway_operation_attempts_bucket', { le: '2' })).toBe(2);
  });

  test('bound the number of an attempt and the class of a status', async () => {
    const series = await seriesOf(EVENTS);
    expect(find(series, 'spillway_retries_total').map(({ labels: { attempt } }) => attempt)).toEqual([
      '2',
      '6+',
    ]);
    expect(find(series, 'spillway_inbound_requests_total').map(({ labels: { status } }) => status)).toEqual([
      '2xx',
      'none',
      'none',
    ]);
  });

  test('tell time in seconds', async () => {
    const series = await seriesOf(EVENTS);
    expect(sum(series, 'spillway_attempt_wasted_time_seconds_total')).toBe(0.25);
    expect(sum(series, 'spillway_attempt_duration_seconds_sum')).toBe(0.4);
    expect(sum(series, 'spillway_attempt_duration_seconds_bucket', { le: '0.5' })).toBe(1);
    expect(sum(series, 'spillway_attempt_duration_seconds_bucket', { le: '0.25' })).toBe(0);
  });

  test('of configured dependencies are there before anything happens', async () => {
    const series = await seriesOf([]);
    expect(sum(series, 'spillway_breaker_state', { dependency: 'quotes', state: 'closed' })).toBe(1);
    expect(find(series, 'spillway_operations_retried_total', { dependency: 'quotes' })).toHaveLength(5);
    expect(find(series, 'spillway_retries_total')).toEqual([]);
  });
});
