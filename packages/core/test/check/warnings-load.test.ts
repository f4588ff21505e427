import { describe, expect, test } from '@jest/globals';
import { holdsRow, type Row } from './find.js';

const ROWS: readonly Row[] = [
  {
    id: 'SW401',
    severity: 'warning',
    options: { attempt: { timeout: '5s' } },
    traffic: { rate: 50, p99: 120 },
    says: 'holds 50/s x 5 s = 250 units, but there are 50.',
    fix: 'Shorten attempt.timeout: 50/s x 180 ms = 9, or raise bulkhead.concurrent.',
  },
  { id: 'SW401', severity: undefined, options: { attempt: { timeout: 180 } }, traffic: { rate: 50 } },
  { id: 'SW401', severity: undefined, options: { attempt: { timeout: '1s' } }, traffic: { rate: 50 } },
  { id: 'SW401', severity: 'info', options: {}, traffic: { rate: 50 }, says: '50/s x 3 s = 150' },
  { id: 'SW401', severity: undefined, options: {}, traffic: { rate: 50, instances: 3 } },
  {
    id: 'SW401',
    severity: 'warning',
    options: { attempt: { timeout: '5s' } },
    traffic: { rate: 50, instances: 2 },
    says: '50/s / 2 instances x 5 s = 125',
  },
  {
    id: 'SW401',
    severity: 'warning',
    options: { bulkhead: false },
    traffic: { rate: 1 },
    says: 'holds 1/s x 3 s = 3 units, and no bulkhead bounds them.',
    fix: 'Shorten attempt.timeout, and turn the bulkhead on.',
  },
  { id: 'SW403', severity: 'info', options: { bulkhead: false }, says: 'Nothing bounds' },
];

describe('rules about load', () => {
  test.each(ROWS)('$id is $severity for $options with $traffic', (row) => {
    expect.hasAssertions();
    holdsRow(row);
  });
});
