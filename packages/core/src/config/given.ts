import { toMs } from './durations.js';
import { BUILT_IN, type Level, type WrittenDependency } from './merge.js';
import type { Duration } from './types.js';

/** A number (of ms, where it is a time) and who wrote it. */
export interface Given {
  readonly value: number;
  readonly level: Level;
}

/** A time option as it was written, else the built-in one. `false` is no bound: Infinity. */
export function givenTime(
  written: WrittenDependency,
  option: string,
  value: Duration | false | undefined,
  builtIn: number,
): Given {
  if (value === undefined) return { value: builtIn, level: BUILT_IN };
  const ms = value === false ? Number.POSITIVE_INFINITY : toMs(value, option);
  return { value: ms, level: written.level(option) };
}

/** A count or share as it was written, else the built-in one. */
export function givenNumber(
  written: WrittenDependency,
  option: string,
  value: number | undefined,
  builtIn: number,
): Given {
  return value === undefined ? { value: builtIn, level: BUILT_IN } : { value, level: written.level(option) };
}

/**
 * `given`, but no more than `bound` where that was written nearer to the dependency; then it holds for whatever it
 * bounds in turn with the right of the bound. Values written as near stay.
 */
export function trimmed(given: Given, bound: Given | undefined): Given {
  if (bound === undefined || given.value <= bound.value) return given;
  return given.level === BUILT_IN || given.level < bound.level ? bound : given;
}

/** `given`, but no less than `floor` where nobody wrote it. */
export function raised(given: Given, floor: number): Given {
  return given.level === BUILT_IN && given.value < floor ? { ...given, value: floor } : given;
}
