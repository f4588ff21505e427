import type { IncomingMessage } from 'node:http';
import { fingerprintOf } from '../engine/hash.js';
import { BodyDigest } from './body-digest.js';
import { tapped } from './body-tap.js';
import { expectsBody, readAhead, unread } from './read-ahead.js';

/** What a framework knows of a request's body apart from node's stream. */
export interface BodyHints {
  /** The raw bytes, where something kept them. */
  readonly rawBody?: unknown;
  /** What a parser made of them. */
  readonly parsed?: unknown;
  /** Digest of the bytes, where the framework let us stand before its parser. */
  readonly digest?: BodyDigest | undefined;
}

/**
 * SHA-256 over what makes two requests the same: method, path with query, media type without parameters, and the
 * raw bytes of the body, up to `limit` of them. A multipart body is left out: its boundary differs on every attempt.
 * @returns undefined when the client went away before its body was there
 */
export async function requestFingerprint(
  req: IncomingMessage,
  url: string,
  limit: number,
  hints: BodyHints,
): Promise<string | undefined> {
  const type = (req.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const parts = [req.method ?? '', url, type];
  if (type.startsWith('multipart/') || (hints.digest === undefined && !hasBody(req, hints)))
    return fingerprintOf(parts);
  const body = await bodyPart(req, limit, hints);
  if (body === undefined) return undefined;
  const declared = Number(req.headers['content-length'] ?? 0);
  return fingerprintOf([...parts, declared > limit ? String(declared) : '', body]);
}

function hasBody(req: IncomingMessage, hints: BodyHints): boolean {
  return expectsBody(req) || hints.rawBody instanceof Uint8Array;
}

async function bodyPart(req: IncomingMessage, limit: number, hints: BodyHints): Promise<string | undefined> {
  if (hints.digest !== undefined) return hints.digest.value();
  const tap = tapped(req);
  if (tap !== undefined && (req.complete || tap.full)) return tap.value();
  if (unread(req)) {
    const digest = new BodyDigest(limit);
    const how = await readAhead(req, limit, (bytes) => digest.add(bytes));
    return how === 'gone' ? undefined : digest.value();
  }
  return fromHints(limit, hints);
}

/** The last resort, for requests that did not come through node's own server: what the application was given. */
function fromHints(limit: number, hints: BodyHints): string {
  const digest = new BodyDigest(limit);
  const { rawBody, parsed } = hints;
  if (rawBody instanceof Uint8Array) digest.add(rawBody);
  else if (typeof rawBody === 'string') digest.add(Buffer.from(rawBody));
  else if (parsed instanceof Uint8Array) digest.add(parsed);
  else digest.add(Buffer.from(typeof parsed === 'string' ? parsed : (JSON.stringify(parsed) ?? '')));
  return digest.value();
}
