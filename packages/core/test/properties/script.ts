import fc from 'fast-check';
import {
  after,
  createSpillway,
  type DependencyConfig,
  type SpillwayEvent,
  seededRandom,
  VirtualClock,
} from '../../src/index.js';

/** What one attempt's work does. */
export interface Move {
  readonly how: 'answer' | 'fail' | 'bug' | 'hang';
  readonly ms: number;
  /** Goes on after its signal aborted. */
  readonly deaf: boolean;
}

export interface ScriptedOperation {
  readonly at: number;
  readonly moves: readonly Move[];
  readonly idempotent: boolean;
  readonly deadlineMs: number | undefined;
  /** Aborts its signal that long after it started. */
  readonly cancelAfter: number | undefined;
  readonly fallback: boolean;
}

export interface Script {
  readonly seed: number;
  readonly dependency: DependencyConfig;
  readonly operations: readonly ScriptedOperation[];
  /** The wall clock jumps by this, half way. */
  readonly wallStep: number | undefined;
}

const instant = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });

const move: fc.Arbitrary<Move> = fc.record({
  how: fc.oneof(
    { weight: 5, arbitrary: fc.constant<'answer'>('answer') },
    { weight: 6, arbitrary: fc.constant<'fail'>('fail') },
    { weight: 1, arbitrary: fc.constant<'bug'>('bug') },
    { weight: 1, arbitrary: fc.constant<'hang'>('hang') },
  ),
  ms: fc.oneof(fc.constant(0), instant(60), instant(400)),
  deaf: fc.boolean(),
});

const operation: fc.Arbitrary<ScriptedOperation> = fc.record({
  at: instant(1500),
  moves: fc.array(move, { minLength: 1, maxLength: 4 }),
  idempotent: fc.boolean(),
  deadlineMs: fc.option(
    instant(500).map((ms) => ms + 1),
    { nil: undefined, freq: 3 },
  ),
  cancelAfter: fc.option(instant(200), { nil: undefined, freq: 3 }),
  fallback: fc.boolean(),
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
});

const dependency: fc.Arbitrary<DependencyConfig> = fc
  .record({
    deadline: fc.constantFrom<number>(300, 1000),
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
        fc.constant<false>(false),
        fc.record({
          ratio: fc.constantFrom(0.1, 0.5, 1),
          window: fc.constant(400),
          minPerSecond: fc.constantFrom(0, 5),
          concurrent: fc.constantFrom<false | { ratio: number; min: number }>(false, { ratio: 0.2, min: 1 }),
        }),
      ),
    }),
    breaker: fc.oneof({ weight: 1, arbitrary: fc.constant<false>(false) }, { weight: 5, arbitrary: breaker }),
    bulkhead: fc.oneof(
      { weight: 1, arbitrary: fc.constant<false>(false) },
      {
        weight: 3,
        arbitrary: fc.record({
          concurrent: fc.integer({ min: 1, max: 4 }),
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
  operations: fc.array(operation, { minLength: 1, maxLength: 14 }),
  wallStep: fc.option(fc.constantFrom(-3_600_000, 3_600_000, 315_360_000_000), { nil: undefined, freq: 2 }),
});

export interface Played {
  readonly events: readonly SpillwayEvent[];
  /** What each operation's caller got, as text. */
  readonly results: readonly string[];
  readonly timersLeft: number;
  readonly listenersLeft: number;
  readonly snapshot: ReturnType<ReturnType<typeof createSpillway>['snapshot']>;
}

/** Plays a script to its end under virtual time. */
export async function play(
  { seed, dependency, operations, wallStep }: Script,
  options: { link?: 'layered'; observed?: boolean } = {},
): Promise<Played> {
  const clock = new VirtualClock();
  const events: SpillwayEvent[] = [];
  const spillway = createSpillway(
    { strict: false, dependencies: { dep: dependency } },
    {
      clock,
      random: seededRandom(seed),
      observers: options.observed === false ? [] : [(event) => events.push(event)],
      ...(options.link && { link: options.link }),
    },
  );
  const dep = spillway.dependency('dep');
  let listeners = 0;
  const results: string[] = operations.map(() => 'unsettled');
  // each operation's instants have a fraction of their own, so that no two things ever happen at the same one
  const own = (index: number, n: number) => (index * 32 + n + 1) / 4096;
  const start = async (op: ScriptedOperation, index: number) => {
    const controller = new AbortController();
    const { signal } = controller;
    const counted = countListeners(signal, (change) => {
      listeners += change;
    });
    let moves = 0;
    const work = (attempt: { signal: AbortSignal }) => {
      const planned = op.moves[Math.min(moves++, op.moves.length - 1)] as Move;
      return perform(clock, planned, planned.ms + own(index, moves), attempt.signal);
    };
    const done = dep.settle(work, {
      signal: counted,
      idempotent: op.idempotent,
      ...(op.deadlineMs !== undefined && { deadline: op.deadlineMs + own(index, 21) }),
      ...(op.fallback && { fallback: () => 'mended' }),
    });
    if (op.cancelAfter !== undefined)
      later(clock, op.cancelAfter + own(index, 20), () =>
        controller.abort(new Error('cancelled by the script')),
      );
    const outcome = await done;
    results[index] = outcome.ok ? `ok ${String(outcome.value)}` : `error ${text(outcome.error)}`;
  };
  operations.forEach((op, index) => {
    later(clock, op.at + own(index, 25), () => void start(op, index));
  });
  await clock.advance(750);
  if (wallStep !== undefined) clock.shiftWall(wallStep);
  await clock.runToIdle(60_000);
  return {
    events,
    results,
    timersLeft: clock.pending,
    listenersLeft: listeners,
    snapshot: spillway.snapshot(),
  };
}

function text(error: unknown): string {
  const { code, stopped, message } = error as { code?: string; stopped?: string; message?: string };
  return `${code ?? message} ${stopped ?? ''}`.trim();
}

function later(clock: VirtualClock, ms: number, act: () => void): void {
  after(clock, ms, act);
}

function perform(
  clock: VirtualClock,
  { how, ms, deaf }: Move,
  exactMs: number,
  signal: AbortSignal,
): Promise<string> | string {
  if (how === 'answer' && ms === 0) return 'answer';
  return new Promise((resolve, reject) => {
    if (!deaf) signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    if (how === 'hang') return;
    later(clock, exactMs, () => {
      if (how === 'answer') resolve('answer');
      else reject(how === 'bug' ? new TypeError('bug') : new Error('failed'));
    });
  });
}

function countListeners(signal: AbortSignal, change: (by: number) => void): AbortSignal {
  const { addEventListener, removeEventListener } = signal;
  const live = new Set<unknown>();
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    live.add(args[1]);
    change(1);
    return addEventListener.apply(signal, args);
  };
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    if (live.delete(args[1])) change(-1);
    return removeEventListener.apply(signal, args);
  };
  signal.addEventListener = signal.addEventListener.bind(signal);
  addEventListener.call(signal, 'abort', () => {
    change(-live.size);
    live.clear();
  });
  return signal;
}
