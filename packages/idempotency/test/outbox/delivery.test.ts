import { expect, test } from '@jest/globals';
import { settlementOf } from '../../src/outbox/delivery.js';
import type { OutboxWrite } from '../../src/outbox/outbox-store.js';

const WRITE: OutboxWrite = {
  id: 'w',
  dependency: 'bank',
  key: 'K',
  lane: 'K',
  request: { method: 'POST', path: 'charges', headers: {}, body: '{}' },
  state: 'sending',
  attempts: 0,
  status: undefined,
  error: undefined,
  deferredAt: 0,
};

test.each([
  [200, 'done'],
  [201, 'done'],
  [302, 'done'],
  [303, 'done'],
  [301, 'dead'],
  [307, 'dead'],
  [308, 'dead'],
  [404, 'dead'],
  [422, 'dead'],
  [409, 'later'],
  [429, 'later'],
  [503, 'later'],
])('An answer %s makes a write %s: only what was carried out counts as delivered.', (status, kind) => {
  expect(settlementOf(status, WRITE, 20, { after: () => 1_000 })).toMatchObject({ kind, status });
});
