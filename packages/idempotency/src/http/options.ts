import type { IncomingMessage } from 'node:http';
import { type Duration, spillwayError } from '@spillway/core';
import { Engine } from '../engine/engine.js';
import { type EngineOptions, ranged, whole } from '../engine/options.js';
import type { IdempotencyStore } from '../engine/store.js';

/** What the middlewares have in common. `Req`: what your framework hands to `scope`. */
export interface IdempotentOptions<Req = IncomingMessage, S extends IdempotencyStore = IdempotencyStore>
  extends EngineOptions<S> {
  /** A request without a key is refused with 400. Default false: it passes as if nobody stood here. */
  readonly required?: boolean;
  /** Methods that are looked at. Default POST and PATCH. */
  readonly methods?: readonly string[];
  /**
   * Whose key it is: an identity that the server knows, such as the account. Two scopes never share an answer
   * (C-078). `undefined` for callers without one: they are told apart by their network address. Default: the
   * Authorization header, then the address. Give your own where tokens are renewed between two attempts.
   */
  readonly scope?: (req: Req) => string | undefined;
  /** Also accept keys without quotes. Default true. */
  readonly lenient?: boolean;
  /** When the store fails: refuse with 503, or run unprotected. Default: `fail` where required, else `pass` (D6). */
  readonly onStoreError?: 'fail' | 'pass';
  /** Bytes of a request's body that are compared; of a longer one also its length. Default 1 MiB. */
  readonly fingerprintLimit?: number;
  /** Answers that are kept, by status. Default 2xx, 3xx, and 4xx but 408, 409, 425 and 429; never 5xx (D7). */
  readonly stores?: (status: number) => boolean;
  /** Repeat Set-Cookie on a replay. Default false. */
  readonly replaySetCookie?: boolean;
  /** Sent with 409 while the first request runs. Default: what is left of its lease. */
  readonly retryAfter?: Duration;
  /** A handler that has not answered keeps its key for this long after its client went away. Default 5 min. */
  readonly abandonAfter?: Duration;
}

export interface ResolvedHttp<Req> {
  readonly engine: Engine;
  readonly required: boolean;
  readonly methods: ReadonlySet<string>;
  readonly scope: ((req: Req) => string | undefined) | undefined;
  readonly lenient: boolean;
  readonly failClosed: boolean;
  readonly fingerprintLimit: number;
  readonly stores: (status: number) => boolean;
  readonly replaySetCookie: boolean;
  readonly retryAfterMs: number | undefined;
  readonly abandonAfterMs: number;
}

const FINGERPRINT_LIMIT = 1_048_576;
const NOT_FINAL: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** A definite answer: trying again would not change it. */
function isFinal(status: number): boolean {
  return status >= 200 && status < 500 && !NOT_FINAL.has(status);
}

/** @throws ERR_CONFIG naming the option, its value and its range */
export function resolveHttp<Req, S extends IdempotencyStore>(
  options: IdempotentOptions<Req, S>,
): ResolvedHttp<Req> {
  const required = options.required ?? false;
  const { onStoreError, retryAfter, stores } = options;
  if (onStoreError !== undefined && onStoreError !== 'fail' && onStoreError !== 'pass') {
    throw spillwayError(
      'ERR_CONFIG',
      `onStoreError: '${String(onStoreError)}' is unknown. Give 'fail' or 'pass'.`,
    );
  }
  return {
    engine: new Engine(options),
    required,
    methods: new Set((options.methods ?? ['POST', 'PATCH']).map((method) => method.toUpperCase())),
    scope: options.scope,
    lenient: options.lenient ?? true,
    failClosed: onStoreError === undefined ? required : onStoreError === 'fail',
    fingerprintLimit: whole(options.fingerprintLimit ?? FINGERPRINT_LIMIT, 'fingerprintLimit'),
    stores: (status) => status < 500 && (stores ?? isFinal)(status),
    replaySetCookie: options.replaySetCookie ?? false,
    retryAfterMs: retryAfter === undefined ? undefined : ranged(retryAfter, 'retryAfter', 0, 3_600_000),
    abandonAfterMs: ranged(options.abandonAfter ?? 300_000, 'abandonAfter', 0, 86_400_000),
  };
}
