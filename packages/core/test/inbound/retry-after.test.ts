import { describe, expect, it } from '@jest/globals';
import { parseHttpDate } from '../../src/inbound/http-date.js';
import { parseRetryAfter, spreadRetryAfter } from '../../src/inbound/retry-after.js';
import { retryAfterSeconds } from '../../src/index.js';

// vectors A1-A11 of the standards, cases C-050 to C-053
const NOW = Date.UTC(2026, 0, 15, 12, 0, 0);

describe('Retry-After in seconds', () => {
  it.each([
    ['120', 120_000],
    ['120 ', 120_000],
    [' 120', 120_000],
    ['0', 0],
    ['3600', 3_600_000],
    ['0000000007', 7000],
    ['9999999999', 9_999_999_999_000],
  ])('%j is %d ms', (value, ms) => {
    expect(parseRetryAfter(value, NOW)).toEqual({ ms, past: false });
  });

  it.each([
    'not-a-number',
    'soon',
    '',
    ' ',
    '12abc',
    '1e3',
    '0x10',
    'Infinity',
    'NaN',
    '-5',
    '+5',
    '1.5',
    '5, 10',
    '00000000001',
    'Thu, 99 Foo',
  ])('%j counts as absent', (value) => {
    expect(parseRetryAfter(value, NOW)).toBeUndefined();
  });

  it('an absent header asks for nothing', () => {
    expect(parseRetryAfter(undefined, NOW)).toBeUndefined();
  });
});

describe('Retry-After as a date', () => {
  const EXAMPLE = 784_111_777_000;

  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    '%s is the same instant in whatever zone we run',
    (text) => {
      expect(parseHttpDate(text, NOW)).toBe(EXAMPLE);
      expect(parseRetryAfter(text, EXAMPLE - 5000)).toEqual({ ms: 5000, past: false });
    },
  );

  it.each([
    ['Fri, 31 Dec 1999 23:59:59 GMT', 946_684_799_000],
    ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29)],
    ['Tue, 29 Feb 2000 12:30:00 GMT', Date.UTC(2000, 1, 29, 12, 30)],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Sat, 30 Jun 2012 23:59:60 GMT', Date.UTC(2012, 6, 1)],
    ['Mon Mar 16 01:02:03 2026', Date.UTC(2026, 2, 16, 1, 2, 3)],
    ['Sat, 01 Mar 2400 00:00:00 GMT', Date.UTC(2400, 2, 1)],
  ])('%s', (text, ms) => {
    expect(parseHttpDate(text, NOW)).toBe(ms);
  });

  it('agrees with the platform on every day of four centuries', () => {
    const wrong: string[] = [];
    for (let day = Date.UTC(1970, 0, 1); day < Date.UTC(2370, 0, 1); day += 86_400_000) {
      const text = new Date(day).toUTCString();
      if (parseHttpDate(text, NOW) !== day) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['76', 2076],
    ['77', 1977],
    ['26', 2026],
    ['00', 2000],
    ['99', 1999],
  ])('a two-digit year %s means %d in 2026', (digits, year) => {
    expect(parseHttpDate(`Monday, 01-Jun-${digits} 00:00:00 GMT`, NOW)).toBe(Date.UTC(year, 5, 1));
  });

  it('that has gone by asks for nothing, which is not the same as now', () => {
    expect(parseRetryAfter('Wed, 01 Jan 2020 00:00:00 GMT', NOW)).toEqual({ ms: 0, past: true });
    expect(parseRetryAfter('Thu, 15 Jan 2026 12:00:00 GMT', NOW)).toEqual({ ms: 0, past: true });
  });

  it.each([
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'sun, 06 nov 1994 08:49:37 gmt',
    'Sun, 31 Apr 2026 00:00:00 GMT',
    'Sun, 29 Feb 2023 00:00:00 GMT',
    'Sun, 29 Feb 2100 00:00:00 GMT',
    'Sun, 00 Jan 2026 00:00:00 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 23:60:00 GMT',
    'Sun, 06 Nov 1994 23:59:61 GMT',
    'Sun Nov 06 08:49:37 94',
    '2026-01-15T12:00:00Z',
    'Sunday, 06-Nov-1994 08:49:37 GMT',
  ])('%s is none', (text) => {
    expect(parseHttpDate(text, NOW)).toBeUndefined();
  });
});

describe('the Retry-After we send', () => {
  it.each([
    [900, '1'],
    [1900, '2'],
    [0, '1'],
    [-500, '1'],
    [7200, '8'],
    [5000, '5'],
  ])('%d ms left is %s', (ms, seconds) => {
    expect(retryAfterSeconds(ms)).toBe(seconds);
  });

  it('is spread upwards by at most a tenth', () => {
    expect(spreadRetryAfter(10_000, () => 0)).toBe(10_000);
    expect(spreadRetryAfter(10_000, () => 0.5)).toBe(10_500);
    expect(spreadRetryAfter(10_000, () => 0.999_999)).toBeLessThanOrEqual(11_000);
  });
});
