import { describe, expect, test } from '@jest/globals';
import { holdsRow, type Row } from './find.js';

const ROWS: readonly Row[] = [
  {
    id: 'SW201',
    severity: 'warning',
    options: { retry: { budget: false } },
    says: '1 + 2 = 3 times the load',
  },
  {
    id: 'SW201',
    severity: 'warning',
    options: { retry: { budget: false, attempts: 4 } },
    traffic: { rate: '10000/min' },
    says: '10,000/min x 4 = 40,000 attempts/min',
  },
  { id: 'SW201', severity: undefined, options: { retry: { budget: false, attempts: 1 } } },
  {
    id: 'SW202',
    severity: 'warning',
    options: { retry: { backoff: { base: 0 } } },
    says: 'retry.backoff.base is 0',
  },
  {
    id: 'SW202',
    severity: 'warning',
    options: { retry: { backoff: { cap: 0 } } },
    says: 'retry.backoff.base is 0',
  },
  { id: 'SW202', severity: undefined, options: { retry: { backoff: () => 0 } } },
  { id: 'SW202', severity: undefined, options: { retry: { backoff: { base: 0 }, attempts: 1 } } },
  {
    id: 'SW203',
    severity: 'warning',
    options: { retry: { backoff: { jitter: 'none' } } },
    says: 'together.',
  },
  {
    id: 'SW203',
    severity: 'warning',
    options: { retry: { backoff: { jitter: 'none' } } },
    traffic: { instances: 40 },
    says: 'on all 40 instances',
  },
  { id: 'SW203', severity: undefined, options: { retry: { backoff: { jitter: 'equal' } } } },
  {
    id: 'SW204',
    severity: 'warning',
    options: {},
    traffic: { methods: ['get', 'post'] },
    says: 'post goes out without an idempotency key: retries stop',
  },
  {
    id: 'SW204',
    severity: 'warning',
    options: { retry: false },
    traffic: { methods: ['POST'], meshAttempts: 3 },
    says: 'the mesh repeats it up to 3 times',
  },
  { id: 'SW204', severity: undefined, options: {}, traffic: { methods: ['POST'], keyed: true } },
  { id: 'SW204', severity: undefined, options: {}, traffic: { methods: ['GET', 'PUT'] } },
  { id: 'SW204', severity: undefined, options: { retry: false }, traffic: { methods: ['POST'] } },
  {
    id: 'SW205',
    severity: 'warning',
    options: {},
    traffic: { meshAttempts: 3 },
    says: 'app 3 x mesh 3 = 9 attempts',
  },
  { id: 'SW205', severity: undefined, options: { retry: false }, traffic: { meshAttempts: 3 } },
  { id: 'SW206', severity: 'info', options: { retry: { owner: 'ignore' } }, says: 'made up to 3 times' },
  {
    id: 'SW207',
    severity: 'info',
    options: {},
    traffic: { rate: '10000/min', failing: 0.08 },
    says: '10,000/min x 8 % = 800 retries/min, of the 20 %',
  },
  {
    id: 'SW207',
    severity: 'info',
    options: { retry: { budget: false } },
    traffic: { rate: '10000/min', failing: 0.08 },
    says: '10,000/min x 8 % = 800 retries/min.',
  },
  {
    id: 'SW207',
    severity: 'warning',
    options: { retry: { budget: { ratio: 0.05 } } },
    traffic: { rate: 50, failing: 0.08 },
    says: '50/s x 8 % = 4 retries/s, but the budget allows 5 %.',
  },
  {
    id: 'SW207',
    severity: 'warning',
    options: { retry: { budget: { ratio: 0.05 } } },
    traffic: { failing: 0.08 },
    says: '8 % of the operations, but',
  },
  { id: 'SW207', severity: undefined, options: {}, traffic: { failing: 0 } },
  {
    id: 'SW208',
    severity: 'warning',
    options: { retry: { budget: false }, breaker: false },
    says: 'makes 3 attempts, however long',
  },
  { id: 'SW208', severity: undefined, options: { retry: false, breaker: false } },
  { id: 'SW208', severity: undefined, options: { retry: { budget: false } } },
];

describe('rules about retries', () => {
  test.each(ROWS)('$id is $severity for $options with $traffic', (row) => {
    expect.hasAssertions();
    holdsRow(row);
  });
});
