import type { Buffer } from 'node:buffer';
import type { Classify, Duration, FallbackFunction } from '@spillway/core';
import type { BeforeRedirectHook, BeforeRequestHook, OptionsInit, Response } from 'got';
import type { ClientStream } from './answer/client-stream.js';

/** Options of got that pass through as they are. */
type PassedOptions = Pick<
  OptionsInit,
  | 'allowGetBody'
  | 'context'
  | 'decompress'
  | 'dnsCache'
  | 'dnsLookup'
  | 'dnsLookupIpVersion'
  | 'encoding'
  | 'followRedirect'
  | 'headers'
  | 'https'
  | 'localAddress'
  | 'maxHeaderSize'
  | 'maxRedirects'
  | 'methodRewriting'
  | 'parseJson'
  | 'password'
  | 'responseType'
  | 'searchParams'
  | 'setHost'
  | 'strictContentLength'
  | 'stringifyJson'
  | 'throwHttpErrors'
  | 'username'
>;

/** Hooks of got that cannot send a request again. */
export interface ClientHooks {
  readonly beforeRequest?: BeforeRequestHook[];
  readonly beforeRedirect?: BeforeRedirectHook[];
}

/** A body that got takes. Text and bytes are sent again on a retry; anything that is read once is not. */
export type ClientBody = OptionsInit['body'] | URLSearchParams;

/** Options that hold for every request of a client: those of `dependencies.<name>.client`, and of `.extend()`. */
export interface ClientDefaults extends PassedOptions {
  readonly hooks?: ClientHooks;
}

/** What Spillway itself takes per request, and `.extend()` as defaults. */
export interface PolicyOptions<A = never> {
  /** Overrides the dependency's, never the request's. */
  readonly deadline?: Duration;
  /** The request may be repeated whatever its method: unlocks retries and the fallback. `false` forbids. */
  readonly idempotent?: boolean;
  /**
   * Sends an `Idempotency-Key`, the same on every attempt, and so unlocks retries. `true`: one of our own, derived
   * from the inbound request's key where it came with one; `false`: none, there too. Text is sent as a quoted string, as the draft wants it; for
   * a dependency that compares keys unquoted, set the header yourself.
   */
  readonly idempotencyKey?: boolean | string;
  /** In place of the dependency's, for any method; `false` for none. */
  readonly fallback?: false | FallbackFunction<A>;
  readonly classify?: Classify;
  /** `false`: one attempt. */
  readonly retry?: false | { readonly attempts?: number };
  /** Tenant for the retry budget and `scope` functions. */
  readonly key?: string;
  /** Low-cardinality name for telemetry. Default: the method. */
  readonly operation?: string;
  /** Reject with the cause itself instead of ERR_UPSTREAM. */
  readonly unwrap?: boolean;
}

export interface ExtendOptions<A = never> extends ClientDefaults, Omit<PolicyOptions<A>, 'idempotencyKey'> {}

/** Options of one request. */
export interface RequestOptions<A = never> extends ClientDefaults, PolicyOptions<A> {
  /** For the callable form; the named methods have their own. */
  readonly method?: string;
  /** A stream only as a function that makes one per attempt, or else there is one attempt. */
  readonly body?: ClientBody | (() => ClientBody | Promise<ClientBody>);
  /** Serialised when the request is made: every attempt sends the same bytes. */
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, unknown>>;
  /** Rejects with this signal's own reason when it aborts. */
  readonly signal?: AbortSignal;
}

/** Options of one streamed request: no fallback can stand in for a stream. */
export type StreamOptions = Omit<RequestOptions, 'fallback' | 'responseType' | 'encoding'>;

/** What a bare call resolves with when a fallback answered. */
export interface DegradedResponse<A> {
  readonly statusCode: 200;
  readonly body: A;
  readonly degraded: true;
}

/** got's own response, or a fallback's answer where one is configured. */
export type Answer<A> = Response<string> | ([A] extends [never] ? never : DegradedResponse<A>);

/**
 * The promise of a request, which has been sent already. Rejects with got's own HTTPError for an answer that is no
 * failure of the dependency (404), with ERR_UPSTREAM for one that is, with our refusals, or with a signal's reason.
 */
export interface ClientPromise<A = never> extends Promise<Answer<A>> {
  /** The body, parsed. A fallback's value as it is. */
  json<T = unknown>(): Promise<T | A>;
  /** The body as text. A fallback's value as text, or as JSON when it is none. */
  text(): Promise<string>;
  /** The body's bytes. A fallback's value as those of its text. */
  buffer(): Promise<Buffer>;
}

export type RequestFunction<A> = <B = A>(url: string | URL, options?: RequestOptions<B>) => ClientPromise<B>;

/** HEAD has no body that a fallback could give. */
export type HeadFunction = (url: string | URL, options?: Omit<RequestOptions, 'fallback'>) => ClientPromise;

export type StreamFunction = (url: string | URL, options?: StreamOptions) => ClientStream;

export interface StreamMethods extends StreamFunction {
  readonly get: StreamFunction;
  readonly post: StreamFunction;
  readonly put: StreamFunction;
  readonly patch: StreamFunction;
  readonly delete: StreamFunction;
  readonly head: StreamFunction;
}

/**
 * An HTTP client for one dependency: got's interface under Spillway's policy. URLs are relative to the dependency's
 * `baseUrl` and cannot leave it. `A` is what the dependency's fallback may answer.
 */
export interface Client<A = never> extends RequestFunction<A> {
  readonly get: RequestFunction<A>;
  readonly post: RequestFunction<A>;
  readonly put: RequestFunction<A>;
  readonly patch: RequestFunction<A>;
  readonly delete: RequestFunction<A>;
  readonly head: HeadFunction;
  /** The deadline covers a stream to its headers; from there on it is the caller's. */
  readonly stream: StreamMethods;
  /** The same client with other defaults. */
  readonly extend: <B = A>(options: ExtendOptions<B>) => Client<B>;
}
