import type { z } from 'zod';
import { nearest } from './nearest.js';
import { DEPENDENCY_OPTIONS, ROOT_OPTIONS } from './option-table.js';
import type { IssueParams } from './schema-leaf.js';

/** One wrong option. */
export interface ConfigIssue {
  /** `dependencies.quotes.breaker.probes` */
  readonly path: string;
  /** What stands there, as text; secrets and values of unknown options are not shown. */
  readonly value: string;
  /** What may stand there. */
  readonly allowed: string;
  /** All of it in a sentence, with what to do. */
  readonly message: string;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** The wrong options behind zod's issues: those of a union are the issues of the shape that was meant. */
export function configIssues(issues: readonly Issue[], config: unknown): ConfigIssue[] {
  return issues.flatMap((issue) => fromIssue(issue, [], config));
}

function fromIssue(issue: Issue, above: Path, config: unknown): ConfigIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const meant = meantShape(issue.errors as readonly (readonly Issue[])[]);
    if (meant !== undefined) return meant.flatMap((inner) => fromIssue(inner, path, config));
  }
  if (issue.code === 'invalid_key') {
    const allowed = issue.issues[0]?.message ?? issue.message;
    return [badName(path, allowed)];
  }
  const params: IssueParams = (issue.code === 'custom' ? issue.params : undefined) ?? {};
  if (params.known !== undefined) return [unknownOption(path, params.known)];
  return [badValue(path, issue.message, config, params)];
}

/**
 * Of the shapes a value may have, the one that it has: the only one whose issues lie inside it, or, of objects told
 * apart by their `kind`, the one of that kind.
 */
function meantShape(shapes: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const inside = shapes.filter((issues) => issues.every(({ path }) => path.length > 0));
  if (inside.length <= 1) return inside[0];
  const ofKind = inside.filter((issues) => !issues.some(({ path }) => path[0] === 'kind'));
  if (ofKind.length > 0) return ofKind[0];
  return inside[0]?.filter(({ path }) => path[0] === 'kind');
}

function badValue(path: Path, allowed: string, config: unknown, params: IssueParams): ConfigIssue {
  const where = pathWords(path);
  const found = valueIn(config, path);
  if (found === undefined) {
    return { path: where, value: 'undefined', allowed, message: `${where} is missing. Give ${allowed}.` };
  }
  const value = params.secret === true ? hiddenWords(found) : valueWords(found);
  return { path: where, value, allowed, message: `${where} is ${value}. Give ${allowed}.` };
}

function badName(path: Path, allowed: string): ConfigIssue {
  const where = pathWords(path);
  const value = valueWords(String(path.at(-1)));
  return { path: where, value, allowed, message: `${where}: ${value} is no name. Give ${allowed}.` };
}

function unknownOption(path: Path, known: readonly string[]): ConfigIssue {
  const where = pathWords(path);
  const name = String(path.at(-1));
  return {
    path: where,
    value: 'not shown',
    allowed: known.join(', '),
    message: `${where} is no option. ${advice(name, path, known)}`,
  };
}

/** Names that other libraries use, as seen from a dependency. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  timeout: "'deadline' bounds the operation, 'attempt.timeout' one attempt.",
  retries: "Did you mean 'retry.attempts' (which counts the first attempt too)?",
  circuitBreaker: "Did you mean 'breaker'?",
  url: "Did you mean 'baseUrl'?",
  prefixUrl: "Did you mean 'baseUrl'?",
  headers: "Did you mean 'client.headers'?",
};

function advice(name: string, path: Path, known: readonly string[]): string {
  const close = nearest(name, known);
  if (close !== undefined) return `Did you mean '${close}'?`;
  const inDependency = path[0] === 'defaults' ? path.length === 2 : isDependencyOption(path);
  if (inDependency && Object.hasOwn(ELSEWHERE, name)) return ELSEWHERE[name] ?? '';
  const homes = homesOf(name, path);
  if (homes.length > 0) return `Did you mean ${homes.map((home) => `'${home}'`).join(' or ')}?`;
  return `Known here: ${known.join(', ')}.`;
}

/** Parts of the configuration, beside which declarations are read by the same means. */
const HOMES: ReadonlySet<PropertyKey | undefined> = new Set(['inbound', 'dependencies', 'defaults', 'check']);

function isDependencyOption(path: Path): boolean {
  return path[0] === 'dependencies' && path.length === 3;
}

/** Options of that name in other parts: `openFor` beside `breaker` belongs into it. */
function homesOf(name: string, path: Path): string[] {
  if (path.length > 1 && !HOMES.has(path[0])) return [];
  const rows = path[0] === 'dependencies' || path[0] === 'defaults' ? DEPENDENCY_OPTIONS : ROOT_OPTIONS;
  const homes = rows.map((row) => row.path).filter((option) => option.endsWith(`.${name}`));
  return homes.length > 3 ? [] : homes;
}

function pathWords(path: Path): string {
  let words = '';
  for (const key of path) {
    if (typeof key === 'string' && /^[\w-]+$/.test(key)) words += words === '' ? key : `.${key}`;
    else words += typeof key === 'number' ? `[${key}]` : `[${JSON.stringify(String(key))}]`;
  }
  return words === '' ? 'the configuration' : words;
}

function valueIn(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

/** A value in a few words, on one line, without anybody's password. */
export function valueWords(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `'${withoutCredentials(value).slice(0, 80)}${value.length > 80 ? '…' : ''}'`;
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(value);
    case 'bigint':
      return `${value}n`;
    case 'function':
      return 'a function';
    case 'symbol':
      return 'a symbol';
    case 'object':
      if (value === null) return 'null';
      if (value instanceof URL) return valueWords(value.href);
      return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
  }
}

function hiddenWords(value: unknown): string {
  return typeof value === 'string' ? `a text of ${value.length} characters (not shown)` : `a ${typeof value}`;
}

/** URLs may carry a user's password before the @ and tokens in their query. */
function withoutCredentials(text: string): string {
  const line = text.replace(/\p{Cc}/gu, ' ');
  return line.replace(/\/\/.*@/, '//***@').replace(/(:\/\/[^?#]*[?#]).+/, '$1…');
}
