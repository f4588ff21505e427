import { type SpillwayError, spillwayError } from '@spillway/core';
import type { z } from 'zod';

/** One wrong value of a scenario. */
export interface ScenarioIssue {
  /** `services.shop.latency` */
  readonly path: string;
  readonly value: string;
  /** What may stand there. */
  readonly allowed: string;
  readonly message: string;
}

type Path = readonly PropertyKey[];

/** The wrong values behind zod's issues. */
export function issuesOf(issues: readonly z.core.$ZodIssue[], scenario: unknown): ScenarioIssue[] {
  return issues.flatMap((issue) => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => unknownKey([...issue.path, key], issue.message));
    }
    const allowed =
      issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    const path = writtenPath(scenario, issue.path);
    return [issueAt(path, valueAt(scenario, path), allowed)];
  });
}

export function issueAt(path: Path, value: unknown, allowed: string): ScenarioIssue {
  const where = pathWords(path);
  const shown = valueWords(value);
  const message =
    value === undefined ? `${where} is missing. Give ${allowed}.` : `${where} is ${shown}. Give ${allowed}.`;
  return { path: where, value: shown, allowed, message };
}

function unknownKey(path: Path, known: string): ScenarioIssue {
  const where = pathWords(path);
  return {
    path: where,
    value: 'not shown',
    allowed: known,
    message: `${where} is no option. Known here: ${known}.`,
  };
}

/** The error for a scenario that cannot run: ERR_CONFIG, all issues at once in `details.issues`. */
export function scenarioError(issues: readonly ScenarioIssue[]): SpillwayError {
  const lines = issues.map(({ message }) => `  ${message}`);
  return spillwayError('ERR_CONFIG', `The scenario cannot run\n${lines.join('\n')}`, { details: { issues } });
}

function pathWords(path: Path): string {
  const words = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return words === '' ? 'the scenario' : words.replace(/^\./, '');
}

/** Where it is written: short forms, as a bare duration for a law, are spelt out before they are checked. */
function writtenPath(root: unknown, path: Path): Path {
  const bare = path.findIndex((_, at) => {
    const value = valueAt(root, path.slice(0, at));
    return value !== undefined && (typeof value !== 'object' || value === null);
  });
  return bare === -1 ? path : path.slice(0, bare);
}

function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

function valueWords(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 80)}'`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
