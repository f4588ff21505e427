import { createHash } from 'node:crypto';

/**
 * The name under which a store knows a key: a hash of scope and key, so that no caller's text reaches a store, every
 * name has the same length, and two callers with one key never meet (C-078).
 */
export function storeKey(scope: string, key: string): string {
  return createHash('sha256').update(`${scope.length}:${scope}`).update(key).digest('base64url');
}

/** SHA-256 of several texts or buffers, each with its length in front, so that none can pass for part of another. */
export function fingerprintOf(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) {
    const bytes = typeof part === 'string' ? Buffer.from(part) : part;
    hash.update(`${bytes.byteLength}:`).update(bytes);
  }
  return hash.digest('base64url');
}

/** What events and logs show of a key. */
export function shownKey(name: string): string {
  return Buffer.from(name, 'base64url').toString('hex').slice(0, 16);
}
