import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Claim } from '../engine/claim.js';
import type { Decision } from '../engine/engine.js';
import { fingerprintOf, storeKey } from '../engine/hash.js';
import { decodeAnswer } from './answer.js';
import { type BodyHints, requestFingerprint } from './fingerprint.js';
import { linesOf, REPLAYED, stripMarkers } from './headers.js';
import { parseKey } from './key-syntax.js';
import type { ResolvedHttp } from './options.js';
import { type OwnAnswer, problem } from './problems.js';

/** A request as a framework presents it. */
export interface Presented<Req> {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** What `scope` is called with. */
  readonly subject: Req;
  /** Path with query, as the client sent it. */
  readonly url: string;
  /** The caller's address, as far as the framework trusts its proxies. */
  readonly address: string | undefined;
  readonly hints: BodyHints;
}

export type Verdict =
  /** No business of ours, or the store is away and the route may run without it. */
  | { readonly kind: 'pass' }
  /** The client went away before its request was there. */
  | { readonly kind: 'gone' }
  /** Somebody else has answered while the store was asked, as a deadline does: nothing is to be done any more. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'answer'; readonly answer: OwnAnswer; readonly message?: string | undefined }
  | { readonly kind: 'run'; readonly key: string; readonly claim: Claim };

const PASS: Verdict = { kind: 'pass' };

/** Everything that is decided before the handler runs; the same for every framework. */
export async function decide<Req>(http: ResolvedHttp<Req>, presented: Presented<Req>): Promise<Verdict> {
  const { req } = presented;
  stripMarkers(req);
  if (!http.methods.has(req.method ?? '')) return PASS;
  const lines = linesOf(req, 'idempotency-key');
  if (lines.length === 0) {
    return http.required ? { kind: 'answer', answer: problem('idempotency-key-missing') } : PASS;
  }
  const key = lines.length === 1 ? parseKey(lines[0] as string, http.lenient) : undefined;
  if (key === undefined) return { kind: 'answer', answer: problem('idempotency-key-invalid') };
  const fingerprint = await requestFingerprint(req, presented.url, http.fingerprintLimit, presented.hints);
  if (fingerprint === undefined) return { kind: 'gone' };
  const verdict = await begin(http, presented.res, storeKey(scopeOf(http, presented), key), key, fingerprint);
  if (!isAnswered(presented.res)) return verdict;
  if (verdict.kind === 'run') await verdict.claim.release();
  return { kind: 'answered' };
}

async function begin<Req>(
  http: ResolvedHttp<Req>,
  res: ServerResponse,
  name: string,
  key: string,
  fingerprint: string,
): Promise<Verdict> {
  const { waitMs, ttlMs } = http.engine.options;
  try {
    return verdictOf(http, key, await http.engine.begin(name, fingerprint, waitMs, ttlMs, () => isOver(res)));
  } catch {
    // Told to `observe` by the engine, with the error.
    return http.failClosed
      ? { kind: 'answer', answer: problem('idempotency-store-unavailable', 1000) }
      : PASS;
  }
}

function isAnswered(res: ServerResponse): boolean {
  return res.headersSent || res.writableEnded;
}

/** Nobody waits for an answer any more. */
function isOver(res: ServerResponse): boolean {
  return isAnswered(res) || res.destroyed;
}

function verdictOf<Req>(http: ResolvedHttp<Req>, key: string, decision: Decision): Verdict {
  switch (decision.kind) {
    case 'run':
      return { kind: 'run', key, claim: decision.claim };
    case 'replay':
      return decision.answer === null
        ? { kind: 'answer', answer: problem('idempotency-result-not-stored') }
        : replay(decision.answer);
    case 'in-progress': {
      const retryAfterMs = http.retryAfterMs ?? decision.leaseLeftMs;
      return { kind: 'answer', answer: problem('idempotency-in-progress', retryAfterMs) };
    }
    case 'mismatch':
      return { kind: 'answer', answer: problem('idempotency-mismatch') };
  }
}

function replay(text: string): Verdict {
  const { status, message, headers, body } = decodeAnswer(text);
  return { kind: 'answer', answer: { status, headers: [...headers, [REPLAYED, 'true']], body }, message };
}

/** Callers without an identity are never one caller: they are told apart by address. */
function scopeOf<Req>(http: ResolvedHttp<Req>, presented: Presented<Req>): string {
  const { req, subject, address } = presented;
  const known = http.scope === undefined ? req.headers.authorization : identity(http.scope(subject));
  if (known !== undefined && known !== '') return `caller:${fingerprintOf([known])}`;
  return `address:${address ?? req.socket?.remoteAddress ?? ''}`;
}

/** Identities are often numbers. An object has no text of its own: two callers would be one. */
function identity(scope: unknown): string | undefined {
  if (scope === undefined || scope === null || typeof scope === 'string') return scope ?? undefined;
  if (typeof scope === 'number' || typeof scope === 'bigint') return String(scope);
  throw new TypeError(
    `scope: gave ${typeof scope}; give the text or number that names the caller, or undefined`,
  );
}
