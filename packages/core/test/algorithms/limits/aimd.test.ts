import { describe, expect, test } from '@jest/globals';
import { AimdLimit } from '../../../src/algorithms/limits/aimd.js';

const DEFAULTS = { min: 20, max: 200, backoffRatio: 0.9, timeoutMs: 5000 };

function aimd(initial: number, options = {}): AimdLimit {
  return new AimdLimit({ ...DEFAULTS, initial, ...options });
}

describe('AIMD', () => {
  test.each([
    { initial: 20, rtt: 10, inFlight: 20, dropped: false, limit: 21, why: 'grows by one when used' },
    { initial: 30, rtt: 10, inFlight: 30, dropped: true, limit: 27, why: 'shrinks by a tenth on a drop' },
    { initial: 100, rtt: 10, inFlight: 100, dropped: true, limit: 90, why: 'shrinks by a tenth on a drop' },
    {
      initial: 100,
      rtt: 5001,
      inFlight: 100,
      dropped: false,
      limit: 90,
      why: 'takes a slow sample for a drop',
    },
    { initial: 100, rtt: 5000, inFlight: 100, dropped: false, limit: 101, why: 'allows exactly its timeout' },
    {
      initial: 100,
      rtt: 10,
      inFlight: 49,
      dropped: false,
      limit: 100,
      why: 'does not grow while half empty',
    },
    { initial: 100, rtt: 10, inFlight: 50, dropped: false, limit: 101, why: 'grows when half used' },
    { initial: 20, rtt: 10, inFlight: 20, dropped: true, limit: 20, why: 'keeps its minimum' },
    { initial: 200, rtt: 10, inFlight: 200, dropped: false, limit: 200, why: 'keeps its maximum' },
  ])('from $initial to $limit: it $why', ({ initial, rtt, inFlight, dropped, limit }) => {
    const aimdLimit = aimd(initial);
    aimdLimit.onSample(0, rtt, inFlight, dropped);
    expect(aimdLimit.limit).toBe(limit);
  });

  test('stays at a maximum of 21', () => {
    const limit = aimd(21, { max: 21 });
    limit.onSample(0, 10, 21, false);
    expect(limit.limit).toBe(21);
  });

  test('can go down to 1 and come back', () => {
    const limit = aimd(20, { min: 1 });
    for (let i = 0; i < 50; i++) limit.onSample(i, 10, 1, true);
    expect(limit.limit).toBe(1);
    limit.onSample(51, 10, 1, false);
    expect(limit.limit).toBe(2);
  });
});
