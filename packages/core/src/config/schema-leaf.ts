import { z } from 'zod';
import { optionRow } from './option-table.js';
import { accepts, allowedWords } from './ranges.js';

/** What a schema tells the message about one of its issues. */
export interface IssueParams {
  /** The options known where an unknown one was found. */
  readonly known?: readonly string[];
  /** Do not show the value. */
  readonly secret?: boolean;
}

/**
 * A schema that is made when it is asked for, and again when it has been forgotten meanwhile. Configurations are read
 * when a process starts; their schemas are two megabytes that each later collection of garbage would look through.
 */
export function whileUsed(make: () => z.ZodType): () => z.ZodType {
  let made: WeakRef<z.ZodType> | undefined;
  return () => {
    const known = made?.deref();
    if (known !== undefined) return known;
    const schema = make();
    made = new WeakRef(schema);
    return schema;
  };
}

/** A single value, by the option's row in the table. */
export function option(path: string): z.ZodType {
  const { range } = optionRow(path);
  return custom((value) => accepts(range, value), allowedWords(range), {
    secret: range.type === 'text' && range.secret,
  });
}

/** A value of several shapes: whichever fits, else the row's words. */
export function oneOf(path: string, ...shapes: [z.ZodType, z.ZodType, ...z.ZodType[]]): z.ZodType {
  return z.union(shapes, { error: allowedWords(optionRow(path).range) });
}

/**
 * The options of one part. The keys are those of its type: one too many or one missing does not compile. Unknown
 * keys in a configuration are refused one by one.
 * @param required keys that must be given
 */
export function part<T>(
  path: string,
  fields: { readonly [K in keyof T]-?: z.ZodType },
  required: readonly (keyof T & string)[] = [],
): z.ZodType {
  const entries = Object.entries<z.ZodType>(fields);
  const needed: readonly string[] = required;
  const shape = Object.fromEntries(
    entries.map(([key, type]) => [key, needed.includes(key) ? type : type.optional()]),
  );
  const known = entries.map(([key]) => key);
  const error = path === '' ? 'an object of options' : allowedWords(optionRow(path).range);
  return z.object(shape, { error }).catchall(custom(() => false, 'nothing', { known }));
}

export function custom(
  check: (value: unknown) => boolean,
  allowed: string,
  params: IssueParams = {},
): z.ZodType {
  return z.custom(check, { error: allowed, params: { ...params } });
}

export const isFalse: z.ZodType = custom((value) => value === false, 'false');
export const isFunction: z.ZodType = custom((value) => typeof value === 'function', 'a function');
