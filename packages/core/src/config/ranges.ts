import { formatDuration, group, LONGEST_MS, parseDuration } from './durations.js';

/** The values an option takes, as data: validation, messages, the reference page and editors read the same. */
export type Range =
  | { readonly type: 'duration'; readonly min: number; readonly max: number; readonly orFalse: boolean }
  | {
      readonly type: 'integer' | 'number';
      readonly min: number;
      readonly max: number;
      /** `min` itself is not allowed. */
      readonly above: boolean;
      readonly orFalse: boolean;
    }
  | { readonly type: 'choice'; readonly of: readonly string[]; readonly orFunction: boolean }
  | { readonly type: 'boolean' }
  | { readonly type: 'function' }
  | { readonly type: 'text'; readonly longest: number; readonly secret: boolean }
  /** A list of HTTP status codes. */
  | { readonly type: 'statuses' }
  /** A group of options of its own, or several shapes; `allowed` says which. */
  | { readonly type: 'shape'; readonly allowed: string };

export function duration(min: number, options: { max?: number; orFalse?: true } = {}): Range {
  return { type: 'duration', min, max: options.max ?? LONGEST_MS, orFalse: options.orFalse ?? false };
}

export function integer(min: number, max: number, options: { orFalse?: true } = {}): Range {
  return { type: 'integer', min, max, above: false, orFalse: options.orFalse ?? false };
}

export function number(min: number, max: number): Range {
  return { type: 'number', min, max, above: false, orFalse: false };
}

/** A share that 0 would make meaningless. */
export function shareAboveZero(options: { orFalse?: true } = {}): Range {
  return { type: 'number', min: 0, max: 1, above: true, orFalse: options.orFalse ?? false };
}

export function choice(...of: string[]): Range {
  return { type: 'choice', of, orFunction: false };
}

export function choiceOrFunction(...of: string[]): Range {
  return { type: 'choice', of, orFunction: true };
}

export function text(longest: number, options: { secret?: true } = {}): Range {
  return { type: 'text', longest, secret: options.secret ?? false };
}

export function shape(allowed: string): Range {
  return { type: 'shape', allowed };
}

export const flag: Range = { type: 'boolean' };
export const callback: Range = { type: 'function' };
export const statuses: Range = { type: 'statuses' };
export const mode: Range = choice('enforce', 'observe');

/** Is `value` in the range? A `shape` is looked into by its own schema and accepts anything here. */
export function accepts(range: Range, value: unknown): boolean {
  switch (range.type) {
    case 'duration': {
      const ms = parseDuration(value);
      return (range.orFalse && value === false) || (ms !== undefined && ms >= range.min && ms <= range.max);
    }
    case 'integer':
    case 'number':
      return (range.orFalse && value === false) || acceptsNumber(range, value);
    case 'choice':
      return (
        (typeof value === 'string' && range.of.includes(value)) ||
        (range.orFunction && typeof value === 'function')
      );
    case 'text':
      return typeof value === 'string' && value.trim() !== '' && value.length <= range.longest;
    case 'statuses':
      return Array.isArray(value) && value.every(isStatus);
    case 'boolean':
    case 'function':
      return typeof value === range.type;
    case 'shape':
      return true;
  }
}

function acceptsNumber(range: { type: string; min: number; max: number; above: boolean }, value: unknown) {
  if (typeof value !== 'number' || (range.type === 'integer' && !Number.isInteger(value))) return false;
  return (range.above ? value > range.min : value >= range.min) && value <= range.max;
}

function isStatus(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 100 && (value as number) <= 599;
}

/** The range in words, for messages and the reference page: 'a whole number from 1 to 100'. */
export function allowedWords(range: Range): string {
  switch (range.type) {
    case 'duration':
      return orFalse(
        range,
        `a duration from ${formatDuration(range.min)} to ${formatDuration(range.max)}, as 400 (ms), '400ms' or '2s'`,
      );
    case 'integer':
      return orFalse(range, `a whole number from ${group(range.min)} to ${group(range.max)}`);
    case 'number':
      return orFalse(
        range,
        range.above
          ? `a number above ${group(range.min)}, up to ${group(range.max)}`
          : `a number from ${group(range.min)} to ${group(range.max)}`,
      );
    case 'choice':
      return `${range.of.map((one) => `'${one}'`).join(' or ')}${range.orFunction ? ', or a function' : ''}`;
    case 'text':
      return `a text of 1 to ${group(range.longest)} characters`;
    case 'statuses':
      return 'a list of HTTP status codes from 100 to 599';
    case 'boolean':
      return 'true or false';
    case 'function':
      return 'a function';
    case 'shape':
      return range.allowed;
  }
}

function orFalse(range: { readonly orFalse: boolean }, words: string): string {
  return range.orFalse ? `${words}, or false` : words;
}
