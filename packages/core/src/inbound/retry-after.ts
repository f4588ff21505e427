import type { Random } from '../time/random.js';
import { parseHttpDate } from './http-date.js';

/** A wait that an answer asked for. */
export interface RetryAfter {
  /** Milliseconds from now; 0 is an explicit "now", unless `past`. */
  readonly ms: number;
  /** It was a date that has gone by: nothing was asked, so the ordinary backoff applies (C-053). */
  readonly past: boolean;
}

/** More digits are no wait that anybody means. */
const LONGEST_SECONDS = 10;
/** The gate spreads its Retry-After by at most this share, upwards only, so that clients do not return together. */
const SPREAD = 0.1;

/**
 * Reads a `Retry-After` value (RFC 9110 section 10.2.3): whole seconds, or one of the three forms of an HTTP-date.
 * Anything else (`soon`, `12abc`, `1e3`, two values joined by a comma) counts as absent (C-052).
 * @param wallMs the present in ms since the epoch (`clock.wall()`), which dates are compared with
 */
export function parseRetryAfter(value: string | undefined, wallMs: number): RetryAfter | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) {
    return text.length > LONGEST_SECONDS ? undefined : { ms: Number(text) * 1000, past: false };
  }
  const at = parseHttpDate(text, wallMs);
  if (at === undefined) return undefined;
  return at > wallMs ? { ms: at - wallMs, past: false } : { ms: 0, past: true };
}

/** Adds up to 10 % to a wait that we ask for; never shortens it (C-055). */
export function spreadRetryAfter(ms: number, random: Random): number {
  return ms * (1 + SPREAD * random());
}
