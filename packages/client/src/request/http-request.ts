import { type Call, type CallOptions, RequestCall } from '@spillway/core';
import { confine } from './confine.js';
import { derivedKey, quoteKey, randomKey } from './idempotency-key.js';
import { misuse } from './misuse.js';
import { POLICY } from './option-names.js';
import { checkOptions, type OptionsOf, passedOf } from './options.js';
import { confinedRedirects } from './redirects.js';
import { NO_BODY, type RequestBody, requestBody, WRITTEN_BODY } from './request-body.js';
import { mergeSearch, type SearchParams } from './search-params.js';
import type { Upstream } from './upstream.js';

type Options = Readonly<Record<string, unknown>>;

const NO_OPTIONS: Options = Object.freeze({});
const NO_POLICY: CallOptions<never> = Object.freeze({});
const NO_FALLBACK: CallOptions<never> = Object.freeze({ fallback: false });
/** Methods whose streams are not written to. */
export const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
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

/** One request as the user asked for it, checked: what all of its attempts have in common. */
export class HttpRequest {
  readonly upstream: Upstream;
  readonly method: string;
  readonly url: URL;
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
  readonly #got: Options;

  /** @throws SpillwayError ERR_CONFIG for options and URLs that a client does not take */
  constructor(
    upstream: Upstream,
    where: OptionsOf,
    method: string | undefined,
    url: string | URL,
    options: Options = NO_OPTIONS,
    parent: Call | undefined = undefined,
  ) {
    if (options !== NO_OPTIONS) checkOptions(upstream.name, where, options);
    const { merged, name } = upstream;
    this.upstream = upstream;
    this.method = (method ?? (options['method'] as string | undefined) ?? 'GET').toUpperCase();
    this.url = locate(upstream, url, options['searchParams'] as SearchParams | undefined);
    const stringify = options['stringifyJson'] as typeof merged.stringifyJson | undefined;
    const body = requestBody(name, options, stringify ?? merged.stringifyJson);
    const isWritten = where === 'stream' && body === NO_BODY && !BODILESS.has(this.method);
    this.body = isWritten ? WRITTEN_BODY : body;
    if (this.method === 'HEAD' && typeof options['fallback'] === 'function') {
      throw misuse(name, "Option 'fallback' cannot stand in for HEAD: there is no body to give");
    }
    this.policy = policyOf(merged.policy, options, parent, this.method);
    this.operation = this.policy.operation ?? this.method;
    this.throwHttpErrors = (options['throwHttpErrors'] as boolean | undefined) ?? merged.throwHttpErrors;
    this.parseJson = (options['parseJson'] as typeof merged.parseJson | undefined) ?? merged.parseJson;
    this.inbound = requestOf(parent);
    const headers = options['headers'] as Readonly<Record<string, unknown>> | undefined;
    const own = headerNamed(headers, 'idempotency-key');
    this.key = own === undefined ? this.#chooseKey(options['idempotencyKey']) : undefined;
    this.keyed = own !== undefined || options['idempotencyKey'] !== undefined;
    this.idempotent = this.policy.idempotent ?? (this.keyed || IDEMPOTENT.has(this.method));
    this.#got = this.#gotOptions(headers, options);
  }

  /** Options of one attempt for got. `send` makes its connection. */
  gotOptions(send: unknown, body: unknown): Record<string, unknown> {
    const options: Record<string, unknown> = { ...this.#got, request: send };
    if (body !== undefined) options['body'] = body;
    return options;
  }

  /** Was the answer's verdict left to the outcome table alone? Else `classify` may want to read its body. */
  get judgedByTable(): boolean {
    return this.policy.classify === undefined && this.upstream.options.classify === undefined;
  }

  /** One key per operation. In a request that came with one, calls that are not idempotent get theirs unasked. */
  #chooseKey(asked: unknown): string | undefined {
    const { name, secret, random, options } = this.upstream;
    if (typeof asked === 'string') return quoteKey(name, asked);
    const inherits = this.inbound?.facts.idempotencyKey !== undefined;
    const unasked = inherits && options.idempotencyKey && options.propagate && KEYABLE.has(this.method);
    if (asked !== true && !unasked) return undefined;
    if (inherits) return `"${derivedKey(secret, this.inbound as RequestCall, name, this.operation)}"`;
    return `"${randomKey(random)}"`;
  }

  #gotOptions(headers: Readonly<Record<string, unknown>> | undefined, options: Options): Options {
    const passed = options === NO_OPTIONS ? undefined : passedOf(options);
    const got: Record<string, unknown> =
      passed === undefined ? {} : confinedRedirects(this.upstream.base, passed);
    got['method'] = this.method;
    const { contentType } = this.body;
    const isTyped =
      contentType === undefined ||
      headerNamed(headers, 'content-type') !== undefined ||
      this.upstream.merged.headerNames.has('content-type');
    if (!isTyped) got['headers'] = { ...headers, 'content-type': contentType };
    else if (headers !== undefined) got['headers'] = headers;
    return got;
  }
}

function locate({ base, merged, name }: Upstream, url: string | URL, own: SearchParams | undefined): URL {
  const located = confine(base, url);
  if (own === undefined && merged.searchParams.length === 0 && base.url.search === '') return located;
  located.search = mergeSearch(name, [base.url.search, ...merged.searchParams, located.search, own]);
  return located;
}

function policyOf(
  defaults: Options | undefined,
  options: Options,
  parent: Call | undefined,
  method: string,
): CallOptions<unknown> {
  const isHead = method === 'HEAD';
  if (options === NO_OPTIONS && defaults === undefined && parent === undefined)
    return isHead ? NO_FALLBACK : NO_POLICY;
  const policy: Record<string, unknown> = {};
  if (parent !== undefined) policy['parent'] = parent;
  for (const source of [defaults, options]) {
    for (const name in source) {
      if (source[name] !== undefined && (POLICY.has(name) || name === 'signal')) policy[name] = source[name];
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

function headerNamed(headers: Readonly<Record<string, unknown>> | undefined, name: string): unknown {
  for (const key in headers) if (key.toLowerCase() === name) return headers[key];
  return undefined;
}
