import type { IncomingMessage } from 'node:http';
import type { HeaderList } from './answer.js';

/** On a replayed answer, and on nothing else. */
export const REPLAYED = 'Idempotent-Replayed';
/** `false` on an answer that was too large to keep, and on the refusal of its duplicates. */
export const STORED = 'Idempotent-Stored';

/** Ours on answers only: a request that brings them is not believed (C-084). */
const MARKERS: readonly string[] = [REPLAYED.toLowerCase(), STORED.toLowerCase()];

/**
 * Belong to one exchange or one connection, never to the answer: hop-by-hop (RFC 9110, 7.6.1), what RFC 9111, 3.1
 * forbids to store, and what names this request, this moment or this caller's quota (C-083).
 */
const NEVER: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'date',
  'retry-after',
  'server-timing',
  'age',
  'traceparent',
  'tracestate',
  'x-request-id',
  'x-correlation-id',
  'x-degraded',
  'x-should-retry',
  ...MARKERS,
]);

const NEVER_PREFIX = /^(?:x-)?ratelimit|^x-rate-limit|^x-envoy-/;

/** Names that the answer's own Connection header makes hop-by-hop. */
function connectionNames(headers: HeaderList): ReadonlySet<string> {
  const named = new Set<string>();
  for (const [name, value] of headers) {
    if (name.toLowerCase() !== 'connection') continue;
    for (const item of String(value).split(',')) named.add(item.trim().toLowerCase());
  }
  return named;
}

export interface KeepRules {
  readonly setCookie: boolean;
  /** Content-Length is computed anew, except where there is no body to compute it from. */
  readonly contentLength: boolean;
  /** Headers already on the response when the handler got it: they are this exchange's unless it changed them. */
  readonly before: ReadonlyMap<string, string>;
}

/** The headers of an answer that a replay repeats. */
export function kept(headers: HeaderList, rules: KeepRules): HeaderList {
  const hops = connectionNames(headers);
  return headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    if (NEVER.has(lower) || NEVER_PREFIX.test(lower) || hops.has(lower)) return false;
    if (lower === 'set-cookie') return rules.setCookie;
    if (lower === 'content-length') return rules.contentLength;
    return rules.before.get(lower) !== String(value);
  });
}

/** Takes our markers out of a request. */
export function stripMarkers(req: IncomingMessage): void {
  if (!MARKERS.some((name) => name in req.headers)) return;
  for (const name of MARKERS) {
    delete req.headers[name];
    delete req.headersDistinct?.[name];
  }
  const { rawHeaders } = req;
  for (let i = rawHeaders.length - 2; i >= 0; i -= 2) {
    if (MARKERS.includes((rawHeaders[i] as string).toLowerCase())) rawHeaders.splice(i, 2);
  }
}

/** Every line of a request header, apart: Node joins them, and two lines could pass for one value. */
export function linesOf(req: IncomingMessage, lower: string): readonly string[] {
  if (req.headers[lower] === undefined) return [];
  const lines: string[] = [];
  const { rawHeaders } = req;
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    if ((rawHeaders[i] as string).toLowerCase() === lower) lines.push(rawHeaders[i + 1] as string);
  }
  return lines;
}
