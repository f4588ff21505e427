import parse, { type StringValue } from 'ms';
import { spillwayError } from '../call/errors.js';
import type { Duration } from './types.js';

/** Digits with an optional fraction, then a unit at once: `ms` alone would also take '5', '10 Minutes' and '-1s'. */
const FORM = /^\d{1,15}(?:\.\d{1,15})?(?:ms|s|m|h|d)$/;

/** Longest duration any option takes. Longer ones are typing errors more often than wishes. */
export const LONGEST_MS: number = 365 * 24 * 3_600_000;

/**
 * Milliseconds of a duration: a finite number of 0 or more, or digits with a unit (`'400ms'`, `'1.5s'`, `'2m'`,
 * `'1h'`, `'1d'`). `undefined` for anything else, as `''`, `'5'`, `'10 parsecs'`, NaN, Infinity and negatives.
 */
export function parseDuration(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && value >= 0 ? value : undefined;
  if (typeof value !== 'string' || !FORM.test(value)) return undefined;
  return parse(value as StringValue);
}

/** Milliseconds of a duration that has been validated. @throws ERR_CONFIG naming `option` when it has not */
export function toMs(value: Duration, option: string): number {
  const ms = parseDuration(value);
  if (ms !== undefined) return ms;
  const shown = typeof value === 'string' ? `'${value}'` : String(value);
  throw spillwayError(
    'ERR_CONFIG',
    `${option}: ${shown} is no duration. Give a number of milliseconds, or digits with a unit: '400ms', '2s', '1m', '1h', '1d'.`,
    {
      details: {
        issues: [{ path: option, value: shown, allowed: 'a duration of 0 or more', message: shown }],
      },
    },
  );
}

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
];

/** A duration as messages show it: '400 ms', '2 s', '1.5 s', '90 s', '2 min', 'unlimited'. */
export function formatDuration(ms: number): string {
  if (ms === Number.POSITIVE_INFINITY) return 'unlimited';
  if (ms < 1000) return `${round(ms)} ms`;
  for (const [unit, name] of UNITS) {
    if (ms >= 2 * unit && ms % unit === 0) return `${group(ms / unit)} ${name}`;
  }
  return `${group(round(ms / 1000))} s`;
}

/** A number as messages show it: '4,700', '0.25'. */
export function group(value: number): string {
  const [whole = '', fraction] = String(round(value)).split('.');
  const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Three decimals are as much as a message needs. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
