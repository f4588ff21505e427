import { spillwayError } from '@spillway/core';

/** A table's name goes into SQL as text, so it is held to a form that needs no quoting. */
export function tableName(name: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,47}$/.test(name)) return name;
  throw spillwayError(
    'ERR_CONFIG',
    `table: '${name}' is no table name. Use letters, digits and underscores, 1 to 48 of them.`,
  );
}
