import { describe, expect, test } from '@jest/globals';
import { nearest } from '../../src/config/nearest.js';

const KNOWN = ['attempt', 'retry', 'breaker', 'bulkhead', 'fallback', 'deadline'];

describe('the name that was meant', () => {
  test.each([
    ['brekaer', 'breaker'],
    ['Breaker', 'breaker'],
    ['bulckhead', 'bulkhead'],
    ['retyr', 'retry'],
    ['fallbck', 'fallback'],
    ['attemp', 'attempt'],
    ['deadlines', 'deadline'],
  ])('by %p is %p', (word, meant) => {
    expect(nearest(word, KNOWN)).toBe(meant);
  });

  test.each(['hedging', 'x', '', 'cache', 'deadline'.repeat(20)])('by %p is none', (word) => {
    expect(nearest(word, KNOWN)).toBeUndefined();
  });

  test('is the nearest of several', () => {
    expect(nearest('mim', ['max', 'min', 'mode'])).toBe('min');
  });
});
