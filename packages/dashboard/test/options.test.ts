import { expect, test } from '@jest/globals';
import { readOptions } from '../src/options.js';

test('options have defaults, and durations in ms', () => {
  expect(readOptions({})).toEqual({ authorize: undefined, tickMs: 1000, historyMs: 300_000, viewers: 200 });
  expect(readOptions({ tick: '500ms', history: '1h', viewers: 1 })).toMatchObject({
    tickMs: 500,
    historyMs: 3_600_000,
  });
});

test.each<[object, string]>([
  [{ tick: 10 }, "dashboard: tick is 10, allowed is a duration from '250ms' to '10s'"],
  [{ tick: '11s' }, 'tick is 11s'],
  [{ history: '30s' }, "history is 30s, allowed is a duration from '1m' to '1h'"],
  [{ viewers: 0 }, 'viewers is 0, allowed is a whole number from 1 to 10,000'],
  [{ viewers: 1.5 }, 'viewers is 1.5'],
  [{ authorize: true }, 'authorize is true, allowed is a function'],
  [{ authorise: () => true }, 'authorise is given, allowed is none of that name: authorize'],
])('%j is refused', (options, message) => {
  expect(() => readOptions(options)).toThrow(message);
});
