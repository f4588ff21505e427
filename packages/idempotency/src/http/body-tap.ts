import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { BodyDigest } from './body-digest.js';

/**
 * A parser that ran before the middleware has consumed the raw bytes, and only they count (C-077). So node's own
 * channel for incoming requests is watched: a request that brings an Idempotency-Key has the bytes digested as node
 * pushes them into its stream, before anybody reads. Requests without a key are not touched.
 */
const taps = new WeakMap<object, BodyDigest>();
let limitBytes = 0;

/** Starts watching, once per process; the largest `limit` asked for counts for all. */
export function tapBodies(limit: number): void {
  const first = limitBytes === 0;
  limitBytes = Math.max(limitBytes, limit);
  if (first) subscribe('http.server.request.start', onRequest);
}

/** The digest of a request's bytes so far; undefined when it came before the watch or by another way. */
export function tapped(req: IncomingMessage): BodyDigest | undefined {
  return taps.get(req);
}

function onRequest(message: unknown): void {
  const { request } = message as { request: IncomingMessage };
  if (request.headers['idempotency-key'] === undefined) return;
  const digest = new BodyDigest(limitBytes);
  taps.set(request, digest);
  const push = request.push;
  request.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk instanceof Uint8Array) digest.add(chunk);
    return push.call(request, chunk, encoding);
  };
}
