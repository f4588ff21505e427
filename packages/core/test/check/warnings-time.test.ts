import { describe, expect, test } from '@jest/globals';
import { holdsRow, type Row } from './find.js';

const ROWS: readonly Row[] = [
  {
    id: 'SW101',
    severity: 'warning',
    options: {
      deadline: '2s',
      attempt: { timeout: '1s' },
      retry: { attempts: 4, backoff: { base: 100, jitter: 'none' } },
    },
    says: 'take 4 x 1,000 + 700 = 4,700 ms against 2,000 ms: 1 of 4 fit in full.',
    fix: 'Set attempt.timeout to 325 ms or less, make fewer attempts, or raise the deadline to 4.7 s.',
  },
  {
    id: 'SW101',
    severity: 'info',
    options: { deadline: '2s' },
    says: '3 x 2,000 + 300 = 6,300 ms against 2,000 ms: 1 of 3',
  },
  {
    id: 'SW101',
    severity: 'warning',
    options: { deadline: 200, retry: { attempts: 4 } },
    says: '4 x 200 + 700 = 1,500 ms against 200 ms',
    fix: 'Make fewer attempts, or raise the deadline to 1.5 s.',
  },
  {
    id: 'SW101',
    severity: undefined,
    options: { deadline: '4.7s', attempt: { timeout: '1s' }, retry: { attempts: 4 } },
  },
  {
    id: 'SW102',
    severity: 'warning',
    options: { deadline: false },
    says: 'at its worst it takes 3 x 3,000 + 300 = 9,300 ms',
  },
  {
    id: 'SW102',
    severity: 'warning',
    options: { deadline: false, attempt: { timeout: false } },
    says: 'hangs for ever',
  },
  { id: 'SW102', severity: undefined, options: { deadline: '1h' } },
  {
    id: 'SW103',
    severity: 'warning',
    options: { attempt: { timeout: false } },
    says: 'all of the deadline (10 s)',
  },
  { id: 'SW103', severity: 'info', options: { attempt: { timeout: false }, retry: false }, says: '10 s' },
  {
    id: 'SW104',
    severity: 'warning',
    options: { attempt: { timeout: 100 } },
    traffic: { p99: 120 },
    says: 'it cuts more than 1 of 100 healthy attempts. p99 120 ms x 1.5 = 180 ms.',
    fix: 'Set attempt.timeout to about 180 ms (p99 120 ms x 1.5 = 180).',
  },
  {
    id: 'SW104',
    severity: 'warning',
    options: { attempt: { timeout: 179 } },
    traffic: { p99: 120 },
    says: 'too near',
  },
  { id: 'SW104', severity: undefined, options: { attempt: { timeout: 180 } }, traffic: { p99: 120 } },
  { id: 'SW104', severity: undefined, options: { attempt: { timeout: '1.2s' } }, traffic: { p99: 120 } },
  {
    id: 'SW104',
    severity: 'warning',
    options: { attempt: { timeout: '5s' } },
    traffic: { p99: 120 },
    says: '5 s is 42 times the p99 of 120 ms',
  },
  { id: 'SW104', severity: 'info', options: {}, traffic: { p99: 120 }, says: '3 s is 25 times' },
  { id: 'SW104', severity: undefined, options: {} },
  {
    id: 'SW106',
    severity: 'info',
    options: { deadline: '2m' },
    says: '60,000 - 20 = 59,980 ms < 120,000 ms',
  },
  { id: 'SW106', severity: undefined, options: { deadline: '59s' } },
  {
    id: 'SW108',
    severity: 'warning',
    options: { attempt: { connect: 100 } },
    says: 'attempt.connect is for the HTTP client',
  },
  {
    id: 'SW108',
    severity: 'warning',
    options: { client: { http2: true } },
    says: 'client is for the HTTP client',
  },
  { id: 'SW108', severity: undefined, options: { baseUrl: 'http://quotes', attempt: { connect: 100 } } },
];

describe('rules about time', () => {
  test.each(ROWS)('$id is $severity for $options with $traffic', (row) => {
    expect.hasAssertions();
    holdsRow(row);
  });
});
