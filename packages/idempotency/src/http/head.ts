import type { ServerResponse } from 'node:http';
import type { HeaderList } from './answer.js';

/** Status line and headers at the moment they were put together. */
export interface HeadSnapshot {
  readonly status: number;
  readonly message: string | undefined;
  readonly headers: HeaderList;
}

/** Reads what `res.writeHead(...args)` is about to send: the headers set before, overlaid with those given. */
export function headOf(res: ServerResponse, args: readonly unknown[]): HeadSnapshot {
  const status = typeof args[0] === 'number' ? args[0] : res.statusCode;
  const message = typeof args[1] === 'string' ? args[1] : messageOf(res);
  const given = typeof args[1] === 'string' ? args[2] : (args[2] ?? args[1]);
  const headers = new Map<string, [string, string | readonly string[]]>();
  for (const name of rawNames(res)) {
    const value = res.getHeader(name);
    if (value !== undefined) headers.set(name.toLowerCase(), [name, lines(value)]);
  }
  for (const [name, value] of pairsOf(given)) headers.set(name.toLowerCase(), [name, value]);
  return { status, message, headers: [...headers.values()] };
}

/** HTTP/2 has none, and warns whoever asks (RFC 9113, 8.3.2). */
function messageOf(res: ServerResponse): string | undefined {
  return 'stream' in res ? undefined : res.statusMessage || undefined;
}

/** With the case the handler wrote. Responses that are not node's own may not have it. */
function rawNames(res: ServerResponse): readonly string[] {
  const { getRawHeaderNames } = res as { getRawHeaderNames?: () => string[] };
  return getRawHeaderNames === undefined ? res.getHeaderNames() : getRawHeaderNames.call(res);
}

/** The forms writeHead takes: an object, a flat array of names and values, or an array of pairs. */
function pairsOf(given: unknown): [string, string | readonly string[]][] {
  if (given === null || typeof given !== 'object') return [];
  if (!Array.isArray(given)) {
    return Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, lines(value)]],
    );
  }
  const flat: unknown[] = Array.isArray(given[0]) ? given.flat(1) : given;
  const joined = new Map<string, [string, string | readonly string[]]>();
  for (let i = 0; i + 1 < flat.length; i += 2) {
    const name = String(flat[i]);
    const before = joined.get(name.toLowerCase())?.[1];
    const value = lines(flat[i + 1]);
    joined.set(name.toLowerCase(), [name, before === undefined ? value : [before, value].flat()]);
  }
  return [...joined.values()];
}

function lines(value: unknown): string | readonly string[] {
  return Array.isArray(value) ? value.map(String) : String(value);
}

/** What the response bears before the handler had it, by lower-case name. */
export function headersBefore(pairs: Iterable<readonly [string, unknown]>): ReadonlyMap<string, string> {
  const before = new Map<string, string>();
  for (const [name, value] of pairs) before.set(name.toLowerCase(), String(lines(value)));
  return before;
}

/** HEAD, 204 and 304 have no body, whatever is written (RFC 9110, 6.4.1). */
export function mayHaveBody(method: string | undefined, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304 && status >= 200;
}
