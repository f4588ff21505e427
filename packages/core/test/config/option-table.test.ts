import { describe, expect, test } from '@jest/globals';
import {
  DEPENDENCY_OPTIONS,
  defaultWords,
  optionRow,
  ROOT_OPTIONS,
  rangeWords,
  unitOf,
} from '../../src/config/option-table.js';
import { accepts } from '../../src/config/ranges.js';
import { resolveConfig } from '../../src/config/resolve.js';
import type { SpillwayConfig } from '../../src/config/types.js';

const ROWS = [...ROOT_OPTIONS, ...DEPENDENCY_OPTIONS];

/** A configuration that writes one option: `value` at `path`, beside what it needs. */
function writing(path: string, value: unknown): SpillwayConfig {
  const root: Record<string, unknown> = ROOT_OPTIONS.some((row) => row.path === path)
    ? set({}, path, value)
    : { dependencies: { quotes: set(needed(path), path, value) } };
  if (path.startsWith('inbound.concurrency.limit.') && !path.endsWith('.kind')) {
    const name = path.slice('inbound.concurrency.limit.'.length);
    set(root, 'inbound.concurrency.limit.kind', KIND_OF[name] ?? 'loop');
  }
  return root as SpillwayConfig;
}

const KIND_OF: Record<string, string> = {
  initial: 'aimd',
  backoffRatio: 'aimd',
  timeout: 'aimd',
  smoothing: 'gradient',
  tolerance: 'gradient',
};

function needed(path: string): Record<string, unknown> {
  if (path.startsWith('fallback.')) return { fallback: { run: () => null } };
  if (path.startsWith('breaker.slow.')) return { breaker: { slow: { over: 1 } } };
  if (path.startsWith('breaker.probes.')) return { breaker: { probes: { count: 1, rate: 1 } } };
  return {};
}

function set(root: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let node = root;
  for (const key of keys) {
    node[key] ??= {};
    node = node[key] as Record<string, unknown>;
  }
  node[last] = value;
  return root;
}

/** The values at the ends of a row's range, and those just outside. */
function ends(path: string): { inside: unknown[]; outside: unknown[] } {
  const { range } = optionRow(path);
  switch (range.type) {
    case 'duration':
      return {
        inside: [range.min, range.max, ...(range.orFalse ? [false] : [])],
        outside: [range.min - 1, range.max + 1, '1 s', ...(range.orFalse ? [] : [false])],
      };
    case 'integer':
    case 'number':
      return {
        inside: [range.above ? range.max / 2 : range.min, range.max, ...(range.orFalse ? [false] : [])],
        outside: [
          range.above ? range.min : range.min - 1,
          range.max + 1,
          Number.NaN,
          Number.POSITIVE_INFINITY,
          '1',
          ...(range.type === 'integer' ? [range.min + 0.5] : []),
          ...(range.orFalse ? [] : [false]),
        ],
      };
    case 'choice':
      return {
        inside: [...range.of, ...(range.orFunction ? [() => 'x'] : [])],
        outside: ['x', null, ...(range.orFunction ? [] : [() => 'x'])],
      };
    case 'boolean':
      return { inside: [true, false], outside: [0, 'true'] };
    case 'function':
      return { inside: [() => null], outside: [{}, 'f'] };
    case 'text':
      return { inside: ['x'], outside: ['', ' ', 3, 'x'.repeat(range.longest + 1)] };
    case 'statuses':
      return { inside: [[], [100, 599]], outside: [[99], [600], [200.5], 503, ['503']] };
    case 'shape':
      return { inside: [], outside: [Symbol('no shape')] };
  }
}

test('every option stands in the table once', () => {
  const paths = ROWS.map(({ path }) => path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(() => optionRow('retry.attemps')).toThrow(RangeError);
});

describe('validation takes what the table says and nothing else', () => {
  test.each(ROWS.map(({ path }) => path))('%s', (path) => {
    const { inside, outside } = ends(path);
    for (const value of inside) expect(() => resolveConfig(writing(path, value))).not.toThrow();
    for (const value of outside) {
      expect(() => resolveConfig(writing(path, value))).toThrow(
        expect.objectContaining({ code: 'ERR_CONFIG' }),
      );
    }
  });
});

describe('defaults of the table are what options resolve to', () => {
  const config = resolveConfig({ dependencies: { quotes: { breaker: { slow: { over: 1 } } } } });
  const resolved = { ...config, ...config.dependencies.get('quotes') };

  /** Where the resolved form has an option under another name. */
  const RENAMED: Record<string, string> = {
    'breaker.window': 'breaker.window.ms',
    'breaker.probes': 'breaker.probes.count',
    'inbound.deadline.default': 'inbound.deadline.defaultMs',
  };
  const ELSEWHERE =
    /^(fallback\.|breaker\.slow$|breaker\.whenOpen$|inbound\.concurrency\.limit\.(?!kind|turn|min|max))/;

  const paths = ROWS.filter((row) => row.default !== undefined && !ELSEWHERE.test(row.path)).map(
    ({ path }) => path,
  );
  test.each(paths)('%s', (path) => {
    const row = optionRow(path);
    const keys = (RENAMED[path] ?? (unitOf(row) === 'ms' ? `${path}Ms` : path)).split('.');
    let value: unknown = resolved;
    for (const key of keys) value = (value as Record<string, unknown>)[key];
    expect(value).toBe(row.default);
    if (row.range.type !== 'shape') expect(accepts(row.range, row.default)).toBe(true);
  });
});

describe('the reference page says', () => {
  test.each([
    ['breaker.openFor', '5 s', "a duration from 1 ms to 365 d, as 400 (ms), '400ms' or '2s'"],
    ['retry.attempts', '3', 'a whole number from 1 to 100'],
    ['breaker.failureRate', '0.5', 'a number above 0, up to 1, or false'],
    ['attempt.timeout', '3 s, or the deadline if that is shorter', expect.stringMatching(/, or false$/)],
    ['retry.owner', "'here'", "'here' or 'above' or 'ignore'"],
    ['propagate', 'true', 'true or false'],
    ['baseUrl', 'none', 'an http or https URL without credentials, query and fragment'],
    ['inbound.concurrency.limit.max', '1,000', 'a whole number from 1 to 1,000,000'],
  ])('%s: default %s', (path, words, range) => {
    expect(defaultWords(optionRow(path))).toBe(words);
    expect(rangeWords(optionRow(path))).toEqual(range);
  });

  test('what each option does, in a sentence', () => {
    for (const { path, doc } of ROWS) expect(`${path}: ${doc}`).toMatch(/: .{10,}\.$|…$/);
  });
});
