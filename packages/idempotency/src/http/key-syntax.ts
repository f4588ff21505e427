import { parseItem } from 'structured-headers';

/** Longest key, in characters (Stripe's limit). */
export const LONGEST_KEY = 255;

/** A bare key: printable ASCII without quotes and commas. */
const BARE = /^[\x21\x23-\x2b\x2d-\x7e]{1,255}$/;

/**
 * Reads the value of an Idempotency-Key header: a structured-field string, as `"8e03978e"` (RFC 9651, its parameters
 * ignored), and, when `lenient`, the same without quotes. `"abc"` and `abc` are one key.
 * @returns the key, 1 to 255 characters, or undefined when it is none
 */
export function parseKey(value: string, lenient: boolean): string | undefined {
  const key = quoted(value) ?? (lenient ? bare(value) : undefined);
  return key !== undefined && key.length >= 1 && key.length <= LONGEST_KEY ? key : undefined;
}

function quoted(value: string): string | undefined {
  try {
    const [item] = parseItem(value);
    return typeof item === 'string' ? item : undefined;
  } catch {
    // The parser throws for whatever is no structured field; the caller answers 400.
    return undefined;
  }
}

function bare(value: string): string | undefined {
  const trimmed = value.replace(/^ +| +$/g, '');
  return BARE.test(trimmed) ? trimmed : undefined;
}
