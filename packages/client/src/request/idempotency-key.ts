import { createHmac } from 'node:crypto';
import type { Random, RequestCall } from '@spillway/core';
import { misuse } from './misuse.js';

/** %x20-7E, at most 255 characters: what deployed services take. */
const KEY = /^[\x20-\x7e]{1,255}$/;
const QUOTED = /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+"$/;

/**
 * An Idempotency-Key as it goes out: a String of RFC 9651, which is quoted (draft-ietf-httpapi-idempotency-key-header
 * section 2.1). A key that comes quoted is left as it is.
 * @throws SpillwayError ERR_CONFIG for an empty or overlong key, or one with other characters than %x20-7E
 */
export function quoteKey(dependency: string, key: string): string {
  if (QUOTED.test(key)) return key;
  if (!KEY.test(key)) {
    throw misuse(
      dependency,
      `Option 'idempotencyKey' has 1 to 255 printable ASCII characters; this one has ${key.length} or others`,
    );
  }
  return `"${key.replace(/["\\]/g, '\\$&')}"`;
}

/** A random UUID (RFC 9562, version 4) out of the injected chance, so that a seeded run repeats. */
export function randomKey(random: Random): string {
  const bytes = Buffer.alloc(16);
  for (let at = 0; at < 16; at += 4) bytes.writeUInt32BE(Math.floor(random() * 0x1_0000_0000) >>> 0, at);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** With or without quotes, a caller means one key. */
function unquoted(key: string): string {
  return QUOTED.test(key) ? key.slice(1, -1).replace(/\\(["\\])/g, '$1') : key;
}

/**
 * The key of a call made for a request that came with one: the same again when its caller retries, so deduplication
 * goes all the way down; another for each caller, dependency, operation and ordinal of that operation.
 */
export function derivedKey(
  secret: string | undefined,
  request: RequestCall,
  dependency: string,
  operation: string,
): string {
  const { callerScope = '', idempotencyKey = '' } = request.facts;
  const counted = JSON.stringify([dependency, operation]);
  const ordinal = (request.ordinals.get(counted) ?? 0) + 1;
  request.ordinals.set(counted, ordinal);
  const parts = JSON.stringify([callerScope, unquoted(idempotencyKey), dependency, operation, ordinal]);
  return createHmac('sha256', secret ?? '')
    .update(parts)
    .digest('base64url');
}
