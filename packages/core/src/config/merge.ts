import type {
  BackoffConfig,
  BreakerConfig,
  BudgetConfig,
  DefaultsConfig,
  DependencyConfig,
  RetryConfig,
  SpillwayConfig,
} from './types.js';

/**
 * Who wrote an option. A value of a lower level gives way to one of a higher: what `defaults` says is trimmed to fit
 * what the dependency itself says, and what Spillway assumes is trimmed to fit both.
 */
export const BUILT_IN = 0;
export const IN_DEFAULTS = 1;
export const IN_DEPENDENCY = 2;
export type Level = typeof BUILT_IN | typeof IN_DEFAULTS | typeof IN_DEPENDENCY;

/** What was written for one dependency, its own options over those of `defaults`. */
export interface WrittenDependency {
  readonly name: string;
  /** Own options merged over `defaults`, nothing filled in. */
  readonly merged: DependencyConfig;
  /** Who wrote the option at a path such as `attempt.timeout`. */
  readonly level: (option: string) => Level;
  /** Where an option is written, or would be: `defaults.attempt.timeout`, `dependencies.quotes.attempt.timeout`. */
  readonly where: (option: string) => string;
}

/** @param name one of `config.dependencies` */
export function writtenDependency(config: SpillwayConfig, name: string): WrittenDependency {
  const own = config.dependencies?.[name] ?? {};
  const merged = mergeDependency(own, config.defaults ?? {});
  const level = (option: string): Level => {
    if (valueAt(own, option) !== undefined) return IN_DEPENDENCY;
    return valueAt(merged, option) === undefined ? BUILT_IN : IN_DEFAULTS;
  };
  const where = (option: string): string =>
    level(option) === IN_DEFAULTS ? `defaults.${option}` : `${dependencyPath(name)}.${option}`;
  return { name, merged, level, where };
}

/** The path of a dependency in messages; names that are not plain words are quoted. */
function dependencyPath(name: string): string {
  return /^[\w-]+$/.test(name) ? `dependencies.${name}` : `dependencies[${JSON.stringify(name)}]`;
}

export function valueAt(root: unknown, path: string): unknown {
  let value = root;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** `own` over `base`, part by part. `false` leaves a part out; an object over a `false` brings it back. */
function mergeDependency(own: DependencyConfig, base: DefaultsConfig): DependencyConfig {
  return merge<DependencyConfig>(own, base, {
    attempt: (a, b) => merge(a, b),
    retry: part(mergeRetry),
    breaker: part(mergeBreaker),
    bulkhead: part((a, b) => merge(a, b)),
    client: mergeClient,
  });
}

function mergeRetry(own: RetryConfig, base: RetryConfig): RetryConfig {
  return merge(own, base, {
    backoff: (a, b) => (typeof a === 'function' || typeof b === 'function' ? a : merge<BackoffConfig>(a, b)),
    budget: part((a: BudgetConfig, b: BudgetConfig) =>
      merge(a, b, { concurrent: part((x, y) => merge(x, y)) }),
    ),
  });
}

function mergeBreaker(own: BreakerConfig, base: BreakerConfig): BreakerConfig {
  return merge(own, base, { slow: part((a, b) => merge(a, b)) });
}

/** got's options one by one; headers name by name, whatever their case. */
function mergeClient(
  own: Readonly<Record<string, unknown>>,
  base: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const merged = { ...base, ...own };
  const ours = own['headers'];
  const theirs = base['headers'];
  if (isRecord(ours) && isRecord(theirs)) merged['headers'] = { ...lowerCased(theirs), ...lowerCased(ours) };
  return merged;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function lowerCased(headers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

type Merge<T> = (own: T, base: T) => T;

function part<T extends object>(both: Merge<T>): Merge<T | false> {
  return (own, base) => (own === false || base === false ? own : both(own, base));
}

/** Fields of `own` over those of `base`; fields that are objects by `deep`. An `undefined` overrides nothing. */
function merge<T extends object>(
  own: T,
  base: Partial<T>,
  deep: { readonly [K in keyof T]?: Merge<Exclude<T[K], undefined>> } = {},
): T {
  const merged: T = { ...base, ...own };
  for (const key of Object.keys(merged) as (keyof T)[]) {
    const ours = own[key] as Exclude<T[keyof T], undefined> | undefined;
    const theirs = base[key] as Exclude<T[keyof T], undefined> | undefined;
    if (ours === undefined) {
      if (theirs !== undefined) merged[key] = theirs;
    } else if (theirs !== undefined) {
      merged[key] = (deep[key] as Merge<typeof ours> | undefined)?.(ours, theirs) ?? ours;
    }
  }
  return merged;
}
