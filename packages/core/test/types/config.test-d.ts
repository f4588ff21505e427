import type { Adds, DefaultsConfig, Duration, SpillwayConfig } from '../../src/config/types.js';

/** True when A and B are the same type. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles for `true` alone. */
declare function holds<T extends true>(): T;

interface Named<F> {
  /** What `dependency(name).call(work)` may answer. */
  call<N extends keyof F & string, T>(name: N, work: () => T): T | Adds<F[N]>;
  names(): keyof F & string;
}

// the shape of createSpillway: F is inferred backwards, name by name, from the fallbacks
declare function createSpillway<F extends Record<string, unknown> = Record<never, never>>(
  config: SpillwayConfig<F>,
): Named<F>;

export function namesAreInferred(): void {
  const spillway = createSpillway({ dependencies: { quotes: {}, orders: { baseUrl: 'http://orders' } } });
  holds<Equal<ReturnType<typeof spillway.names>, 'quotes' | 'orders'>>();
  spillway.call('quotes', () => 1);
  // @ts-expect-error no dependency of that name
  spillway.call('qoutes', () => 1);
}

export function fallbacksAddTheirResult(): void {
  const spillway = createSpillway({
    dependencies: {
      quotes: { deadline: '2s', fallback: () => ({ price: null }) },
      later: { fallback: async () => 'stale' as const },
      described: { fallback: { run: (failure) => failure.code, timeout: '1s' } },
      told: { fallback: (failure, { method, signal }) => [failure.status, method, signal.aborted] as const },
      plain: { retry: false },
    },
  });
  const quote = spillway.call('quotes', () => ({ price: 3 }));
  holds<Equal<typeof quote, { price: number } | { price: null }>>();
  const later = spillway.call('later', () => 1);
  holds<Equal<typeof later, number | 'stale'>>();
  const described = spillway.call('described', () => 1);
  holds<Equal<typeof described extends number | string ? true : false, true>>();
  const told = spillway.call('told', () => 1);
  holds<Equal<typeof told, number | readonly [number, string | undefined, boolean]>>();
  const plain = spillway.call('plain', () => 1);
  holds<Equal<typeof plain, number>>();
}

export function nothingIsNeeded(): void {
  createSpillway({});
  const spillway = createSpillway({ dependencies: {} });
  // @ts-expect-error there is none
  spillway.call('quotes', () => 1);
}

export function misspeltOptionsDoNotCompile(): void {
  // @ts-expect-error misspelt
  createSpillway({ dependencies: { quotes: { brekaer: false } } });
  // @ts-expect-error misspelt, beside a fallback
  createSpillway({ dependencies: { quotes: { fallback: () => 1, brekaer: false } } });
  // @ts-expect-error misspelt, one level down
  createSpillway({ dependencies: { quotes: { breaker: { minCall: 3 } } } });
  // @ts-expect-error misspelt, two levels down
  createSpillway({ dependencies: { quotes: { retry: { budget: { ration: 0.1 } } } } });
  // @ts-expect-error misspelt at the root
  createSpillway({ dependancies: {} });
  // @ts-expect-error misspelt in the defaults
  createSpillway({ defaults: { atempt: {} } });
  // @ts-expect-error misspelt in inbound
  createSpillway({ inbound: { deadline: { maximum: '3s' } } });
}

export function wrongValuesDoNotCompile(): void {
  // @ts-expect-error true is no breaker
  createSpillway({ dependencies: { quotes: { breaker: true } } });
  // @ts-expect-error no such unit
  createSpillway({ dependencies: { quotes: { deadline: '2 parsecs' } } });
  // @ts-expect-error an undefined is no value
  createSpillway({ dependencies: { quotes: { deadline: undefined } } });
  // @ts-expect-error nor one level down
  createSpillway({ dependencies: { quotes: { attempt: { timeout: undefined } } } });
  // @ts-expect-error slow calls need a length
  createSpillway({ dependencies: { quotes: { breaker: { slow: { rate: 0.5 } } } } });
  // @ts-expect-error a fallback is a function
  createSpillway({ dependencies: { quotes: { fallback: { price: null } } } });
  // @ts-expect-error an option of another kind of limit
  createSpillway({ inbound: { concurrency: { limit: { kind: 'loop', smoothing: 1 } } } });
}

export function defaultsAreTyped(): void {
  const defaults: DefaultsConfig = { attempt: { timeout: '1s' }, retry: false };
  createSpillway({ defaults, dependencies: { quotes: {} } });
  // @ts-expect-error a base URL is of one dependency
  createSpillway({ defaults: { baseUrl: 'http://quotes' } });
  // @ts-expect-error a fallback is of one dependency
  createSpillway({ defaults: { fallback: () => 1 } });
}

export function configurationsOfUnknownNamesAreTyped(config: SpillwayConfig): void {
  const spillway = createSpillway(config);
  holds<Equal<ReturnType<typeof spillway.names>, string>>();
  const value = spillway.call('quotes', () => 1);
  holds<Equal<typeof value, number>>();
}

export function durations(): readonly Duration[] {
  const good: Duration[] = [400, '400ms', '1.5s', '2m', '1h', '1d'];
  // @ts-expect-error a unit is needed
  good.push('5');
  return good;
}

export type AddsNothing = [
  Equal<Adds<unknown>, never>,
  Equal<Adds<null>, null>,
  Equal<Adds<{ price: null }>, { price: null }>,
];
