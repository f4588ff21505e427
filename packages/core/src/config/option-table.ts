import { formatDuration, group } from './durations.js';
import type { OptionRow } from './option-row.js';
import { DEPENDENCY_OPTIONS } from './options-dependency.js';
import { INBOUND_OPTIONS } from './options-inbound.js';
import { allowedWords, choice, flag, shape, text } from './ranges.js';

const TOP_OPTIONS: readonly OptionRow[] = [
  {
    path: 'service',
    range: text(100),
    default: 'app',
    doc: 'Name of this service, in problem details and telemetry.',
  },
  {
    path: 'strict',
    range: flag,
    default: true,
    doc: 'Refuse to start with options that can never take effect. `false` keeps them as findings.',
  },
  {
    path: 'faults',
    range: choice('outside-production', 'always', 'never'),
    default: 'outside-production',
    doc: 'Where faults may be injected: by default not where NODE_ENV is `production`.',
  },
  {
    path: 'idempotency',
    range: shape('an object with secret'),
    doc: 'How keys of nested calls are derived.',
  },
  {
    path: 'idempotency.secret',
    range: text(1_000, { secret: true }),
    doc: 'Secret from which the idempotency keys of nested calls are derived, with the inbound key.',
  },
  { path: 'check', range: shape('an object with ignore'), doc: 'The checker.' },
  {
    path: 'check.ignore',
    range: shape("a list of { id: 'SW101', reason: 'why this is meant' }"),
    doc: 'Findings to leave out, by id, each with its reason.',
  },
  {
    path: 'inbound',
    range: shape('an object with deadline, concurrency, trust, onDisconnect, detachAfter'),
    doc: 'What is asked of requests before they reach a handler.',
  },
  {
    path: 'defaults',
    range: shape('an object of the options of a dependency, without baseUrl, fallback and policies'),
    doc: 'Merged under the own options of each dependency, part by part.',
  },
  {
    path: 'dependencies',
    range: shape('an object of dependencies by name'),
    doc: 'What this service calls: one policy per dependency, by name.',
  },
];

/** Options of the configuration itself, paths from its root. */
export const ROOT_OPTIONS: readonly OptionRow[] = [...TOP_OPTIONS, ...INBOUND_OPTIONS];

export type { OptionRow } from './option-row.js';
export { DEPENDENCY_OPTIONS };

const byPath = new Map([...ROOT_OPTIONS, ...DEPENDENCY_OPTIONS].map((row) => [row.path, row]));

/** The row of an option. @throws when there is none: the schemas name options by path, and a misspelt one must not pass */
export function optionRow(path: string): OptionRow {
  const row = byPath.get(path);
  if (row === undefined) throw new RangeError(`no option ${path} in the option table`);
  return row;
}

/** The default as the reference page shows it: '3 s', '20', "'full'", 'none'. */
export function defaultWords(row: OptionRow): string {
  if (row.defaultWords !== undefined) return row.defaultWords;
  const { default: value, range } = row;
  if (value === undefined) return 'none';
  if (typeof value === 'number') return range.type === 'duration' ? formatDuration(value) : group(value);
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** The range as the reference page shows it. */
export function rangeWords(row: OptionRow): string {
  return allowedWords(row.range);
}

/** The unit of an option's number: every duration is in ms. */
export function unitOf(row: OptionRow): 'ms' | '' {
  return row.range.type === 'duration' ? 'ms' : '';
}
