import type { Range } from './ranges.js';

/** One option: its path, what it takes, what it is when nobody says, and what it does. */
export interface OptionRow {
  /** `inbound.deadline.max`; an option of a dependency starts at the dependency: `breaker.openFor`. */
  readonly path: string;
  readonly range: Range;
  /** A duration's in ms; `undefined` when there is none. */
  readonly default?: number | string | boolean | undefined;
  /** The default in words, where it depends on other options. */
  readonly defaultWords?: string;
  readonly doc: string;
}
