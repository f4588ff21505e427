import { misuse } from './misuse.js';

/** As got takes them. */
export type SearchParams = string | URLSearchParams | Readonly<Record<string, unknown>>;

/**
 * The query of a request out of several layers, each of which replaces the keys it names: an `undefined` value takes
 * a key out, `null` leaves it empty. An array needs a URLSearchParams.
 */
export function mergeSearch(dependency: string, layers: readonly (SearchParams | undefined)[]): string {
  const merged = new URLSearchParams();
  for (const layer of layers) if (layer !== undefined) overlay(dependency, merged, layer);
  return merged.toString();
}

function overlay(dependency: string, merged: URLSearchParams, layer: SearchParams): void {
  const isText = typeof layer === 'string' || layer instanceof URLSearchParams;
  const updated = isText ? new URLSearchParams(layer) : fromRecord(dependency, layer);
  if (!isText) for (const name in layer) merged.delete(name);
  for (const name of new Set(updated.keys())) merged.delete(name);
  for (const [name, value] of updated) merged.append(name, value);
}

function fromRecord(dependency: string, record: Readonly<Record<string, unknown>>): URLSearchParams {
  const params = new URLSearchParams();
  for (const name in record) {
    const value = record[name];
    if (value === undefined) continue;
    if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) {
      throw misuse(
        dependency,
        `Option 'searchParams.${name}' is a string, number, boolean or null; for several values pass a URLSearchParams`,
      );
    }
    params.append(name, value === null ? '' : String(value));
  }
  return params;
}
