import { type Call, type CallOptions, RequestCall } from '@spillway/core';
import type { Request } from 'got';
import { confine, isPlainPath } from './confine.js';
import { derivedKey, quoteKey, randomKey } from './idempotency-key.js';
import { misuse } from './misuse.js';
import { POLICY } from './option-names.js';
import { checkOptions, type OptionsOf, passedOf } from './options.js';
import { confinedRedirects } from './redirects.js';
import { NO_BODY, type RequestBody, requestBody, WRITTEN_BODY } from './request-body.js';
import { mergeSearch, type SearchParams } from './search-params.js';
import type { Upstream } from './upstream.js';

type Options = Readonly<Record<string, unknown>>;
type Headers = Readonly<Record<string, unknown>>;

const NO_OPTIONS: Options = Object.freeze({});
const NO_POLICY: CallOptions<never> = Object.freeze({});
const NO_FALLBACK: CallOptions<never> = Object.freeze({ fallback: false });
/** Methods whose streams are not written to. */
const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const IDEMPOTENT: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'PUT',
  'DELETE',
  'TRACE',
  'QUERY',
]);
/** Methods for which a key of our own makes sense where nobody asked for one. */
const KEYABLE: ReadonlySet<string> = new Set(['POST', 'PATCH']);

const PERSONAL = ['authorization', 'cookie'] as const;

/** One request as the user asked for it, checked: what all of its attempts have in common. */
export class HttpRequest {
  readonly upstream: Upstream;
  readonly method: string;
  /** Absolute, and inside the dependency's base. */
  readonly url: string | URL;
  readonly path: string;
  readonly body: RequestBody;
  /** Options of the policy. */
  readonly policy: CallOptions<unknown>;
  readonly operation: string;
  readonly throwHttpErrors: boolean;
  readonly parseJson: (text: string) => unknown;
  /** The inbound request it is made for. */
  readonly inbound: RequestCall | undefined;
  /** `Idempotency-Key` as it goes out; undefined where the user's own header is left alone. */
  readonly key: string | undefined;
  /** Goes out with a key that somebody chose to send: repeating it is the receiver's business then. */
  readonly keyed: boolean;
  /** May be sent again although it may have been received. */
  readonly idempotent: boolean;
  /** Undefined when the method says it all. */
  readonly #got: Options | undefined;

  /** @throws SpillwayError ERR_CONFIG for options and URLs that a client does not take */
  constructor(
    upstream: Upstream,
    where: OptionsOf,
    method: string | undefined,
    url: string | URL,
    options: Options = NO_OPTIONS,
    parent: Call | undefined = undefined,
  ) {
    const { merged, base } = upstream;
    const isBare = options === NO_OPTIONS;
    if (!isBare) checkOptions(upstream.name, where, options);
    this.upstream = upstream;
    this.method = method ?? (isBare ? 'GET' : methodOf(upstream, options));
    if (isPlainPath(url) && merged.searchParams.length === 0 && options['searchParams'] === undefined) {
      this.url = base.root + url;
      this.path = base.prefix + url;
    } else {
      const located = locate(upstream, url, options['searchParams'] as SearchParams | undefined);
      this.url = located;
      this.path = located.pathname;
    }
    this.body = this.#readBody(where, options);
    this.policy = policyOf(upstream, options, parent, this.method);
    this.operation = this.policy.operation ?? this.method;
    this.throwHttpErrors = (options['throwHttpErrors'] as boolean | undefined) ?? merged.throwHttpErrors;
    this.parseJson = (options['parseJson'] as typeof merged.parseJson | undefined) ?? merged.parseJson;
    this.inbound = requestOf(parent);
    const headers = options['headers'] as Headers | undefined;
    const own = headers === undefined ? undefined : headerNamed(headers, 'idempotency-key');
    const asked = options['idempotencyKey'];
    this.key = own === undefined ? this.#chooseKey(asked) : undefined;
    this.keyed = own !== undefined || asked === true || typeof asked === 'string';
    this.idempotent = this.policy.idempotent ?? (this.keyed || IDEMPOTENT.has(this.method));
    this.#got = isBare ? undefined : this.#gotOptions(headers, options);
  }

  /** Opens one attempt, as got's stream. `send` makes its connection. */
  open(send: unknown, body: unknown, throwHttpErrors = true): Request {
    const options: Record<string, unknown> = { ...this.#got, method: this.method, request: send };
    if (body !== undefined) options['body'] = body;
    if (!throwHttpErrors) options['throwHttpErrors'] = false;
    return this.upstream.got.stream(this.url, options);
  }

  /** The key that goes out, the user's own header included. */
  get sentKey(): string | undefined {
    if (this.key !== undefined) return this.key;
    const headers = this.#got?.['headers'] as Headers | undefined;
    const own = headers === undefined ? undefined : headerNamed(headers, 'idempotency-key');
    return own === undefined ? undefined : String(own);
  }

  /** Was the answer's verdict left to the outcome table alone? Else `classify` may want to read its body. */
  get judgedByTable(): boolean {
    return this.policy.classify === undefined && this.upstream.options.classify === undefined;
  }

  /**
   * Names its answer among those of the dependency; undefined where one cannot stand in for another. Whoever says who
   * they are may get an answer of their own: only a `key` tells those apart.
   */
  get answerKey(): string | undefined {
    if (this.method !== 'GET') return undefined;
    const { key } = this.policy;
    const asked = String(this.url);
    if (key !== undefined) return `${key} ${asked}`;
    const headers = this.#got?.['headers'] as Headers | undefined;
    const isPersonal =
      headers !== undefined && PERSONAL.some((name) => headerNamed(headers, name) !== undefined);
    return isPersonal ? undefined : ` ${asked}`;
  }

  /** One key per operation. In a request that came with one, calls that are not idempotent get theirs unasked. */
  #chooseKey(asked: unknown): string | undefined {
    const { name, secret, random, options } = this.upstream;
    if (typeof asked === 'string') return quoteKey(name, asked);
    const inherits = this.inbound?.facts.idempotencyKey !== undefined;
    if (asked === undefined) {
      if (!inherits || !options.idempotencyKey || !options.propagate || !KEYABLE.has(this.method))
        return undefined;
    } else if (asked !== true) return undefined;
    if (inherits) return `"${derivedKey(secret, this.inbound as RequestCall, name, this.operation)}"`;
    return `"${randomKey(random)}"`;
  }

  #readBody(where: OptionsOf, options: Options): RequestBody {
    const { name, merged } = this.upstream;
    const stringify = options['stringifyJson'] as typeof merged.stringifyJson | undefined;
    const body =
      options === NO_OPTIONS ? NO_BODY : requestBody(name, options, stringify ?? merged.stringifyJson);
    return body === NO_BODY && where === 'stream' && !BODILESS.has(this.method) ? WRITTEN_BODY : body;
  }

  #gotOptions(headers: Headers | undefined, options: Options): Options {
    const passed = passedOf(options);
    const got: Record<string, unknown> =
      passed === undefined ? {} : confinedRedirects(this.upstream.base, passed);
    const { contentType } = this.body;
    const isTyped =
      contentType === undefined ||
      (headers !== undefined && headerNamed(headers, 'content-type') !== undefined) ||
      this.upstream.merged.headerNames.has('content-type');
    if (!isTyped) got['headers'] = { ...headers, 'content-type': contentType };
    else if (headers !== undefined) got['headers'] = headers;
    return got;
  }
}

function methodOf({ name }: Upstream, { method = 'GET' }: Options): string {
  if (typeof method !== 'string') throw misuse(name, `Option 'method' is text, not ${String(method)}`);
  return method.toUpperCase();
}

function locate({ base, merged, name }: Upstream, url: string | URL, own: SearchParams | undefined): URL {
  const located = confine(base, url);
  if (own === undefined && merged.searchParams.length === 0) return located;
  located.search = mergeSearch(name, [...merged.searchParams, located.search, own]);
  return located;
}

function policyOf(
  { name, merged }: Upstream,
  options: Options,
  parent: Call | undefined,
  method: string,
): CallOptions<unknown> {
  const isHead = method === 'HEAD';
  if (options === NO_OPTIONS && merged.policy === undefined && parent === undefined) {
    return isHead ? NO_FALLBACK : NO_POLICY;
  }
  if (isHead && typeof options['fallback'] === 'function') {
    throw misuse(name, "Option 'fallback' cannot stand in for HEAD: there is no body to give");
  }
  const policy: Record<string, unknown> = {};
  if (parent !== undefined) policy['parent'] = parent;
  for (const source of [merged.policy, options]) {
    for (const key in source) {
      if (source[key] !== undefined && (POLICY.has(key) || key === 'signal')) policy[key] = source[key];
    }
  }
  // it has no body that a fallback could give
  if (isHead) policy['fallback'] = false;
  return policy;
}

/** The inbound request that a call works for, through fallbacks too. */
function requestOf(parent: Call | undefined): RequestCall | undefined {
  let call = parent;
  while (call !== undefined && !(call instanceof RequestCall)) call = call.parent;
  return call;
}

function headerNamed(headers: Headers, name: string): unknown {
  for (const key in headers) if (key.toLowerCase() === name) return headers[key];
  return undefined;
}
