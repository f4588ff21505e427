import {
  type BreakerConfig,
  type BreakerSnapshot,
  createSpillway,
  type Dependency,
  type DependencyConfig,
  type DependencySnapshot,
  type EventOf,
  type EventType,
  isSpillwayError,
  type Outcome,
  type Random,
  type Spillway,
  type SpillwayError,
  type SpillwayEvent,
  seededRandom,
  VirtualClock,
} from '../../../src/index.js';

export interface Single {
  readonly clock: VirtualClock;
  readonly spillway: Spillway<{ dep: unknown }>;
  readonly dep: Dependency<unknown>;
  readonly events: SpillwayEvent[];
  /** Events of one type. */
  readonly of: <K extends EventType>(type: K) => EventOf<K>[];
  /** The dependency's part of a snapshot, taken now. */
  readonly now: () => DependencySnapshot;
  /** The same of its breaker. */
  readonly breaker: () => BreakerSnapshot;
}

/** One dependency under a virtual clock. `heard`: its events are kept. */
export function single(policy: DependencyConfig, random: Random = seededRandom(1), heard = true): Single {
  const clock = new VirtualClock();
  const events: SpillwayEvent[] = [];
  const observers = heard ? [(event: SpillwayEvent) => void events.push(event)] : [];
  const config = { dependencies: { dep: policy } };
  const spillway = createSpillway<{ dep: unknown }>(config, { clock, random, observers });
  const dep = spillway.dependency('dep');
  const of = <K extends EventType>(type: K) =>
    events.filter((event): event is EventOf<K> => event.type === type);
  const now = () => spillway.snapshot().dependencies[0] as DependencySnapshot;
  const breaker = () => now().breakers[0] as BreakerSnapshot;
  return { clock, spillway, dep, events, of, now, breaker };
}

/**
 * The same with a breaker alone. Unlike the defaults it opens for exactly `openFor`, however often, and judges by
 * nothing but what `options` say.
 */
export function guarded(options: BreakerConfig, policy: DependencyConfig = {}): Single {
  const maxOpenFor = options.maxOpenFor ?? options.openFor ?? '5s';
  const quiet = { jitter: 0, consecutive: false, probes: 1 } as const;
  const breaker = { ...quiet, ...options, maxOpenFor };
  return single({ retry: false, bulkhead: false, attempt: { timeout: '3s' }, ...policy, breaker });
}

export const good = async (): Promise<string> => 'fine';
export const bad = async (): Promise<never> => {
  throw new Error('down');
};
/** Work that never settles and does not look at its signal. */
export const hang = (): Promise<never> => new Promise(() => undefined);

/** One after the other, `times` times. */
export async function repeat(times: number, run: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times; i++) await run();
}

/** The error of ours that an outcome holds; fails the test when it holds none. */
export function errorOf(outcome: Outcome<unknown>): SpillwayError {
  const { error } = outcome;
  if (outcome.ok || !isSpillwayError(error))
    throw new Error('An error of Spillway was expected', { cause: error });
  return error;
}

/** Work whose end the test decides, one call after the other. */
export class Held {
  readonly calls: { resolve: (value: string) => void; reject: (error: unknown) => void }[] = [];

  readonly work = (): Promise<string> =>
    new Promise((resolve, reject) => {
      this.calls.push({ resolve, reject });
    });

  fail(index: number): void {
    this.calls[index]?.reject(new Error('down'));
  }

  succeed(index: number): void {
    this.calls[index]?.resolve('fine');
  }
}

/** Reads the codes of settled outcomes: `ok`, or the code of the error. */
export function codesOf(outcomes: readonly Outcome<unknown>[]): string[] {
  return outcomes.map((outcome) => (outcome.ok ? 'ok' : errorOf(outcome).code));
}

export function count<T>(list: readonly T[], item: T): number {
  return list.filter((one) => one === item).length;
}
