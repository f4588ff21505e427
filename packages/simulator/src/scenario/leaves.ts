import { parseDuration } from '@spillway/core';
import { z } from 'zod';

/** A year, ms: longer ones are typing errors. */
const LONGEST_MS = 31_536_000_000;

/** A value that passes `check`; `allowed` says in words what may stand there. */
export function leaf<T>(check: (value: unknown) => boolean, allowed: string): z.ZodType<T> {
  return z.custom<T>(check, { error: allowed });
}

/** A duration, as ms. */
export function duration(least: number = 0): z.ZodType<number> {
  const words = least === 0 ? '' : ` of at least ${least} ms`;
  return leaf<unknown>((value) => {
    const ms = parseDuration(value);
    return ms !== undefined && ms >= least && ms <= LONGEST_MS;
  }, `a duration${words}, as 400 (ms), '400ms', '2s' or '5m'`).transform(
    (value) => parseDuration(value) ?? 0,
  );
}

export function whole(min: number, max: number): z.ZodType<number> {
  return leaf(
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    `a whole number from ${group(min)} to ${group(max)}`,
  );
}

/** A number above `min`, up to `max`. */
export function above(min: number, max: number): z.ZodType<number> {
  return leaf(
    (value) => typeof value === 'number' && value > min && value <= max,
    `a number above ${group(min)}, up to ${group(max)}`,
  );
}

export function from(min: number, max: number): z.ZodType<number> {
  return leaf(
    (value) => typeof value === 'number' && value >= min && value <= max,
    `a number from ${group(min)} to ${group(max)}`,
  );
}

export function choice<T extends string>(...of: readonly T[]): z.ZodType<T> {
  return leaf((value) => of.includes(value as T), of.map((one) => `'${one}'`).join(' or '));
}

export const flag: z.ZodType<boolean> = leaf((value) => typeof value === 'boolean', 'true or false');
export const text: z.ZodType<string> = leaf(
  (value) => typeof value === 'string' && value.trim() !== '' && value.length <= 500,
  'a text of 1 to 500 characters',
);

/** An object with these keys and no others. */
export function part<S extends z.ZodRawShape>(shape: S): z.ZodObject<S, z.core.$strict> {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? known : `an object with ${known}`),
  });
}

/** An object of things by name; at least one. */
export function named<T extends z.ZodType>(thing: T, what: string): z.ZodRecord<z.ZodType<string>, T> {
  const name = leaf<string>(
    (value) => typeof value === 'string' && /^[A-Za-z0-9][\w-]{0,59}$/.test(value),
    'a name of 1 to 60 letters, digits, _ and -',
  );
  return z.record(name, thing, { error: `an object of ${what} by name` });
}

function group(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
