import type { IncomingMessage } from 'node:http';

/**
 * Does a request come from a page of this very origin? Browsers say so in `Sec-Fetch-Site` and `Origin`, which no
 * script can set; a request with neither comes from no browser of today, and shows nothing (OWASP: CSRF prevention).
 */
export function isSameOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = headers;
  if (origin === undefined || host === undefined) return false;
  try {
    return new URL(origin).host === host.toLowerCase();
  } catch {
    // `Origin: null`, or nothing that is an origin: not ours
    return false;
  }
}
