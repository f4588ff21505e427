import { expect, test } from '@jest/globals';
import { fixedLimit } from '../../../src/algorithms/limits/fixed.js';

test('a fixed limit stays what it is', () => {
  const limit = fixedLimit(7);
  for (let i = 0; i < 100; i++) limit.onSample(i, 1e6, 7, i % 2 === 0);
  expect(limit.limit).toBe(7);
});
