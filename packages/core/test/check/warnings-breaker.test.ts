import { describe, expect, test } from '@jest/globals';
import { holdsRow, type Row } from './find.js';

const ROWS: readonly Row[] = [
  {
    id: 'SW301',
    severity: 'warning',
    options: { breaker: { observes: 'operations' }, retry: { attempts: 4 } },
    says: '10 operations x 4 attempts = 40 failed attempts',
  },
  { id: 'SW301', severity: undefined, options: { breaker: { observes: 'operations' }, retry: false } },
  { id: 'SW301', severity: undefined, options: { breaker: { observes: 'both' } } },
  {
    id: 'SW302',
    severity: 'warning',
    options: {},
    traffic: { p99: 120 },
    says: 'p99 is 120 ms',
    fix: "Set breaker.slow to { over: '180ms', rate: 0.5 }.",
  },
  {
    id: 'SW302',
    severity: 'warning',
    options: { attempt: { timeout: 150 } },
    traffic: { p99: 120 },
    fix: "Set breaker.slow to { over: '120ms', rate: 0.5 }, below attempt.timeout.",
  },
  { id: 'SW302', severity: undefined, options: {} },
  { id: 'SW302', severity: undefined, options: { breaker: { slow: { over: 200 } } }, traffic: { p99: 120 } },
  { id: 'SW302', severity: undefined, options: { breaker: false }, traffic: { p99: 120 } },
  {
    id: 'SW303',
    severity: 'warning',
    options: { breaker: { window: '10s' } },
    traffic: { rate: 2, instances: 2 },
    says: '2/s / 2 instances x 10 s = 10 < 20 calls: no rate is judged, only 10 failures in a row open it.',
    fix: 'Set breaker.minCalls to 5 or less',
  },
  {
    id: 'SW303',
    severity: 'warning',
    options: { breaker: { window: '10s', consecutive: false } },
    traffic: { rate: '60/min' },
    says: '1/s x 10 s = 10 < 20 calls: no rate is judged, it can hardly open.',
  },
  { id: 'SW303', severity: undefined, options: { breaker: { window: '10s' } }, traffic: { rate: 2 } },
  {
    id: 'SW303',
    severity: undefined,
    options: { breaker: { window: { calls: 30 } } },
    traffic: { rate: '1/h' },
  },
  {
    id: 'SW303',
    severity: undefined,
    options: { breaker: { failureRate: false } },
    traffic: { rate: '1/h' },
  },
  {
    id: 'SW304',
    severity: 'warning',
    options: { breaker: { window: '5s' } },
    says: '2 x 3 s = 6 s > 5 s',
  },
  { id: 'SW304', severity: 'info', options: { attempt: { timeout: '16s' } }, says: '2 x 16 s = 32 s > 30 s' },
  { id: 'SW304', severity: undefined, options: { breaker: { window: '6s' } } },
  {
    id: 'SW305',
    severity: 'warning',
    options: { breaker: { jitter: 0 } },
    says: 'probe at the same instant, 5 s after',
  },
  {
    id: 'SW305',
    severity: 'warning',
    options: { breaker: { jitter: 0 } },
    traffic: { instances: 40 },
    says: '40 instances probe at the same instant, 5 s after they opened: 40 x 3 = 120 probes.',
  },
  { id: 'SW305', severity: undefined, options: { breaker: { jitter: 0.01 } } },
  { id: 'SW306', severity: 'info', options: { breaker: false }, says: 'Calls go on' },
  {
    id: 'SW307',
    severity: 'info',
    options: {},
    traffic: { instances: 40 },
    says: '3 x 40 instances = 120 probes',
  },
  {
    id: 'SW307',
    severity: 'warning',
    options: {},
    traffic: { instances: 40, rate: 100 },
    says: '120 probes at about the same time, more than a second of its traffic (100)',
  },
  { id: 'SW307', severity: undefined, options: {}, traffic: { instances: 1, rate: 1 } },
  {
    id: 'SW308',
    severity: 'info',
    options: {},
    traffic: { instances: 40 },
    says: '1/s x 40 instances = 40 retries/s',
  },
  {
    id: 'SW308',
    severity: 'warning',
    options: {},
    traffic: { instances: 40, rate: 100 },
    says: '1/s x 40 instances = 40 retries/s, 20 % x 100/s = 20/s',
    fix: 'Set retry.budget.minPerSecond to 0.5 or less.',
  },
  {
    id: 'SW308',
    severity: undefined,
    options: { retry: { budget: { minPerSecond: 0 } } },
    traffic: { instances: 40 },
  },
];

describe('rules about the breaker', () => {
  test.each(ROWS)('$id is $severity for $options with $traffic', (row) => {
    expect.hasAssertions();
    holdsRow(row);
  });
});
