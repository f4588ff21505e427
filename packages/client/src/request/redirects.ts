import type { Base } from './confine.js';

/**
 * `followRedirect: true` follows within the dependency's own origin: elsewhere the answer is the redirect itself. A
 * function decides for itself.
 */
export function confinedRedirects(base: Base, options: Record<string, unknown>): Record<string, unknown> {
  if (options['followRedirect'] !== true) return options;
  return { ...options, followRedirect: (response: RedirectLike) => staysInside(base, response) };
}

interface RedirectLike {
  readonly url: string;
  readonly headers: { readonly location?: string | undefined };
}

function staysInside(base: Base, { url, headers }: RedirectLike): boolean {
  const { location } = headers;
  if (location === undefined) return true;
  try {
    // bytes of UTF-8, which Node hands on as latin1
    return new URL(Buffer.from(location, 'latin1').toString(), url).origin === base.origin;
  } catch {
    return false;
  }
}
