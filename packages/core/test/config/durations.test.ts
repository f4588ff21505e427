import { describe, expect, test } from '@jest/globals';
import { formatDuration, group, parseDuration, toMs } from '../../src/config/durations.js';

describe('a duration', () => {
  test.each([
    [0, 0],
    [400, 400],
    [0.5, 0.5],
    ['400ms', 400],
    ['0ms', 0],
    ['2s', 2_000],
    ['1.5s', 1_500],
    ['0.25s', 250],
    ['1m', 60_000],
    ['1h', 3_600_000],
    ['1d', 86_400_000],
    ['30d', 2_592_000_000],
  ])('of %p is %p ms', (value, ms) => {
    expect(parseDuration(value)).toBe(ms);
  });

  test.each([
    '',
    '5',
    's',
    '10 parsecs',
    '2 s',
    '2S',
    '2sec',
    '-1s',
    '1e3s',
    '.s',
    '1.s',
    '1s ',
    '1'.repeat(16).concat('s'),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -1,
    null,
    undefined,
    true,
    {},
    5n,
  ])('is not %p', (value) => {
    expect(parseDuration(value)).toBeUndefined();
  });

  test('that is none is refused by the name of its option', () => {
    expect(() => toMs('soon' as '1s', 'attempt.timeout')).toThrow(
      expect.objectContaining({
        code: 'ERR_CONFIG',
        message: expect.stringContaining("attempt.timeout: 'soon' is no duration."),
      }),
    );
  });
});

test.each([
  [0, '0 ms'],
  [12.3456, '12.346 ms'],
  [400, '400 ms'],
  [2_000, '2 s'],
  [1_500, '1.5 s'],
  [60_000, '60 s'],
  [90_000, '90 s'],
  [120_000, '2 min'],
  [4_000_000, '4,000 s'],
  [7_200_000, '2 h'],
  [31_536_000_000, '365 d'],
  [Number.POSITIVE_INFINITY, 'unlimited'],
])('%p ms reads %p in messages', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

test.each([
  [4_700, '4,700'],
  [999, '999'],
  [1_234_567.891, '1,234,567.891'],
  [0.25, '0.25'],
])('%p reads %p in messages', (value, words) => {
  expect(group(value)).toBe(words);
});
