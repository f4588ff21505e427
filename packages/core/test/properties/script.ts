import fc from 'fast-check';
import type { DependencyConfig } from '../../src/index.js';

/** What one attempt's work does. */
export interface Move {
  /** `refuse`: a nested call of its own was refused. `throttle`: 429 with Retry-After. */
  readonly how: 'answer' | 'fail' | 'bug' | 'hang' | 'refuse' | 'throttle';
  readonly ms: number;
  /** Goes on after its signal aborted. */
  readonly deaf: boolean;
  /** The Retry-After of `throttle`. */
  readonly askedSeconds: number;
}

export interface ScriptedOperation {
  readonly at: number;
  readonly moves: readonly Move[];
  readonly idempotent: boolean;
  readonly deadlineMs: number | undefined;
  /** Has a parent call with that much time. */
  readonly parentMs: number | undefined;
  /** Is cancelled that long after it started. */
  readonly cancelAfter: number | undefined;
  /** Who cancels it. A parent cancels all of its children. */
  readonly cancelBy: 'signal' | 'parent';
  readonly fallback: 'none' | 'mends' | 'throws' | 'late';
}

export interface Script {
  readonly seed: number;
  readonly dependency: DependencyConfig;
  readonly operations: readonly ScriptedOperation[];
  /** The wall clock jumps by this, half way. */
  readonly wallStep: number | undefined;
  /** No two things happen at the same instant. */
  readonly apart: boolean;
}

/** Scripts begin their operations within this time. */
const BUSY_MS = 1500;

const instant = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });

/** One time in three. */
function atTimes<T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
}

const move: fc.Arbitrary<Move> = fc.record({
  how: fc.oneof(
    { weight: 10, arbitrary: fc.constant<'answer'>('answer') },
    { weight: 12, arbitrary: fc.constant<'fail'>('fail') },
    { weight: 1, arbitrary: fc.constant<'bug'>('bug') },
    { weight: 2, arbitrary: fc.constant<'hang'>('hang') },
    { weight: 1, arbitrary: fc.constant<'refuse'>('refuse') },
    { weight: 2, arbitrary: fc.constant<'throttle'>('throttle') },
  ),
  ms: fc.oneof(fc.constant(0), instant(60), instant(400)),
  deaf: fc.boolean(),
  askedSeconds: fc.constantFrom(0, 1, 1),
});

const operation: fc.Arbitrary<ScriptedOperation> = fc.record({
  at: fc.oneof(instant(BUSY_MS), instant(BUSY_MS / 5)),
  moves: fc.array(move, { minLength: 1, maxLength: 4 }),
  idempotent: fc.constantFrom(true, true, true, false),
  deadlineMs: atTimes(instant(500).map((ms) => ms + 1)),
  parentMs: atTimes(fc.constantFrom(40, 200, 700, Number.POSITIVE_INFINITY)),
  cancelAfter: atTimes(instant(200)),
  cancelBy: fc.constantFrom('signal', 'parent'),
  fallback: fc.constantFrom('none', 'none', 'mends', 'throws', 'late'),
});

const breaker = fc.record({
  window: fc.constantFrom<number | { calls: number }>(200, 500, { calls: 6 }),
  minCalls: fc.integer({ min: 1, max: 6 }),
  failureRate: fc.constantFrom(0.3, 0.5, 1),
  consecutive: fc.constantFrom<number | false>(2, 3, false),
  openFor: fc.constantFrom(50, 200),
  maxOpenFor: fc.constant(800),
  jitter: fc.constantFrom(0, 0.2),
  probes: fc.constantFrom<number | { count: number; rate: number }>(1, 2, { count: 2, rate: 1 }),
  slow: fc.constantFrom<false | { over: number; rate: number }>(false, { over: 50, rate: 0.5 }),
  observes: fc.constantFrom('attempts', 'attempts', 'attempts', 'attempts', 'operations', 'both'),
  whenOpen: fc.constantFrom<'refuse' | { wait: number }>('refuse', 'refuse', 'refuse', { wait: 100 }),
});

const dependency: fc.Arbitrary<DependencyConfig> = fc
  .record({
    deadline: fc.constantFrom<number>(300, 1000, 3000, 3000),
    attempt: fc.record({ timeout: fc.constantFrom(80, 250), min: fc.constantFrom(5, 20) }),
    retry: fc.record({
      attempts: fc.integer({ min: 1, max: 4 }),
      backoff: fc.record({
        base: fc.constantFrom(0, 10, 40),
        cap: fc.constant(100),
        jitter: fc.constantFrom<'full' | 'none' | 'equal' | 'decorrelated'>(
          'full',
          'none',
          'equal',
          'decorrelated',
        ),
      }),
      budget: fc.oneof(
        { weight: 1, arbitrary: fc.constant<false>(false) },
        {
          weight: 2,
          arbitrary: fc.record({
            ratio: fc.constantFrom(0.1, 0.5, 1),
            window: fc.constant(400),
            minPerSecond: fc.constantFrom(0, 5),
            concurrent: fc.constantFrom<false | { ratio: number; min: number }>(false, {
              ratio: 0.2,
              min: 1,
            }),
          }),
        },
      ),
    }),
    breaker: fc.oneof({ weight: 1, arbitrary: fc.constant<false>(false) }, { weight: 5, arbitrary: breaker }),
    bulkhead: fc.oneof(
      { weight: 1, arbitrary: fc.constant<false>(false) },
      {
        weight: 3,
        arbitrary: fc.record({
          concurrent: fc.constantFrom(1, 1, 2, 3),
          queue: fc.integer({ min: 0, max: 3 }),
          wait: fc.constantFrom(0, 60),
          detachAfter: fc.constantFrom(100, 1000),
        }),
      },
    ),
  })
  .map((config) => config as DependencyConfig);

export const script: fc.Arbitrary<Script> = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 }),
  dependency,
  operations: fc.array(operation, { minLength: 1, maxLength: 10, size: 'max' }),
  wallStep: fc.option(fc.constantFrom(-3_600_000, 3_600_000, 315_360_000_000), { nil: undefined, freq: 2 }),
  apart: fc.boolean(),
});
