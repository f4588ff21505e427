/** Options of got that reach it unchanged; all else is Spillway's business, or would undo it. */
export const PASSED: ReadonlySet<string> = new Set([
  'allowGetBody',
  'context',
  'decompress',
  'dnsCache',
  'dnsLookup',
  'dnsLookupIpVersion',
  'encoding',
  'followRedirect',
  'hooks',
  'https',
  'localAddress',
  'maxHeaderSize',
  'maxRedirects',
  'methodRewriting',
  'parseJson',
  'password',
  'responseType',
  'setHost',
  'strictContentLength',
  'stringifyJson',
  'username',
]);

/** Options of got that the client merges itself. */
export const MERGED: ReadonlySet<string> = new Set(['headers', 'searchParams', 'throwHttpErrors']);

/** Options that describe one request. */
export const PER_REQUEST: ReadonlySet<string> = new Set([
  'body',
  'form',
  'idempotencyKey',
  'json',
  'method',
  'signal',
]);

/** Options of the policy. */
export const POLICY: ReadonlySet<string> = new Set([
  'classify',
  'deadline',
  'fallback',
  'idempotent',
  'key',
  'operation',
  'retry',
  'unwrap',
]);

/** Hooks that cannot send a request again. */
export const HOOKS: ReadonlySet<string> = new Set(['beforeRequest', 'beforeRedirect']);

/** What to use in place of an option of got that a client does not take. */
export const INSTEAD: Readonly<Record<string, string>> = {
  agent: 'the client keeps one agent per dependency; `bulkhead.concurrent` is its number of sockets',
  cache: 'put a cache in front of the client',
  cacheOptions: 'put a cache in front of the client',
  cookieJar: 'set the `cookie` header',
  copyPipedHeaders: 'set the headers to pass on in `headers`',
  createConnection: 'use `transports` of createSpillway to stand in for the network',
  enableUnixSockets: 'a client speaks http and https to its `baseUrl`',
  h2session: 'the client speaks HTTP/1.1',
  handlers: 'use `policies` of the dependency',
  http2: 'the client speaks HTTP/1.1',
  ignoreInvalidCookies: 'set the `cookie` header',
  isStream: 'use `.stream`',
  mutableDefaults: 'use `.extend()`',
  pagination: 'ask for one page after the other',
  parent: 'use `clients(spillway, { parent })`',
  prefixUrl: 'use `baseUrl` of the dependency',
  request: 'use `transports` of createSpillway to stand in for the network',
  resolveBodyOnly: 'use `.json()`, `.text()` or `.buffer()`',
  searchParameters: 'use `searchParams`',
  timeout: 'use `deadline` here, or `attempt.timeout` and `attempt.connect` of the dependency',
  url: 'the URL is the first argument',
};
