/**
 * `error`: a written option that can never take effect. `warning`: it does something other than it seems to, or
 * hurts when it matters. `info`: worth knowing.
 */
export type Severity = 'error' | 'warning' | 'info';

/** What a rule found. */
export interface Finding {
  /** The rule: `SW001`. */
  readonly id: string;
  readonly severity: Severity;
  /** The option to look at: `dependencies.quotes.attempt.timeout`, or a path of the call graph. */
  readonly path: string;
  readonly dependency?: string;
  /** What is the matter, with the numbers. */
  readonly message: string;
  readonly fix: string;
  /** The sum alone, as `4 x 1,000 + 700 = 4,700 ms`. */
  readonly arithmetic?: string;
}

/** What is said of a rule where it is explained. */
export interface RuleText {
  readonly id: string;
  /** The most severe it gets. */
  readonly severity: Severity;
  readonly title: string;
  /** Why it matters. */
  readonly why: string;
}
