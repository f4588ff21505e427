import { misuse } from './misuse.js';

/** Where a dependency's URLs begin. */
export interface Base {
  readonly dependency: string;
  readonly url: URL;
  readonly origin: string;
  /** Its path, with a slash at the end. */
  readonly prefix: string;
  /** Origin and prefix. */
  readonly root: string;
}

export function baseOf(dependency: string, url: URL): Base {
  const prefix = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`;
  return { dependency, url, origin: url.origin, prefix, root: `${url.origin}${prefix}` };
}

/** Two dots, plain or percent-encoded, as a whole path segment. */
const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e){2}(?:\/|$)/i;
const ABSOLUTE = /^[a-z][a-z\d+.-]*:\/\//i;

/** A path that means what it says: no dot segments, no scheme, no query, nothing that a URL parser changes. */
const PLAIN = /^[\w\-~!$&'()*+,;=@%][\w\-~!$&'()*+,;=@%/.]*$/;
const DOTS = /\.\.|\/\.|%2e/i;

/** A path that can be appended to the base as it stands, without parsing. */
export function isPlainPath(input: string | URL): input is string {
  return typeof input === 'string' && PLAIN.test(input) && !DOTS.test(input);
}

/**
 * The URL of a request, inside the base: same origin, path under its prefix, no credentials. A path is appended to the
 * base; one that begins with a slash must begin with the base's own path.
 * @throws SpillwayError ERR_CONFIG when it would leave the base
 */
export function confine(base: Base, input: string | URL): URL {
  if (typeof input !== 'string') return inside(base, copyOf(base, input));
  const path = input.split(/[?#]/, 1)[0] ?? '';
  if (DOT_SEGMENT.test(path)) {
    refuse(base, "it has a '..' segment; encode parameters with encodeURIComponent", path);
  }
  if (path.includes('\\')) refuse(base, 'it has a backslash', path);
  if (hasControl(input) || input.trim() !== input) {
    refuse(base, 'it has control characters or outer spaces', path);
  }
  return inside(base, parse(base, input, path));
}

function copyOf(base: Base, input: URL): URL {
  if (typeof input?.href !== 'string') refuse(base, 'a URL is text or a URL object', String(input));
  return parsed(base, input.href, input.pathname);
}

function parse(base: Base, input: string, path: string): URL {
  if (ABSOLUTE.test(path)) return parsed(base, input, path);
  if (path === '') return parsed(base, `${base.origin}${base.url.pathname}${input}`, path);
  if (!path.startsWith('/')) return parsed(base, base.root + input, path);
  if (path.startsWith('//')) refuse(base, "it begins with '//', which names a host", path);
  if (!path.startsWith(base.prefix))
    refuse(base, `it begins with a slash, so it must begin with '${base.prefix}'`, path);
  return parsed(base, base.origin + input, path);
}

function parsed(base: Base, text: string, path: string): URL {
  try {
    return new URL(text);
  } catch {
    return refuse(base, 'it is no URL', path);
  }
}

function inside(base: Base, url: URL): URL {
  if (url.username !== '' || url.password !== '')
    refuse(base, 'it has credentials; use the options username and password', url.host);
  if (url.origin !== base.origin)
    refuse(base, `its origin is not ${base.origin}`, `${url.protocol}//${url.host}`);
  if (url.pathname !== base.url.pathname && !url.pathname.startsWith(base.prefix)) {
    refuse(base, `its path is not under '${base.prefix}'`, url.pathname);
  }
  return url;
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x20 || code === 0x7f) return true;
  }
  return false;
}

/** The value shown is the path alone: a query may hold secrets. */
function refuse(base: Base, why: string, value: string): never {
  throw misuse(
    base.dependency,
    `A URL of '${base.dependency}' cannot leave its baseUrl: ${why} (${JSON.stringify(value)})`,
  );
}
