import type { ServerResponse } from 'node:http';
import type { OutboxWrite, WriteState } from './outbox-store.js';

/** What a caller is told of a deferred write. */
export interface Deferred {
  readonly deferred: true;
  readonly id: string;
  readonly state: WriteState;
  readonly attempts: number;
  /** Where its state can be read. */
  readonly location: string;
  /** What the dependency answered, once it has. */
  readonly status: number | undefined;
}

export function deferredOf(write: OutboxWrite, statusPath: string): Deferred {
  const { id, state, attempts, status } = write;
  return { deferred: true, id, state, attempts, location: `${statusPath}${id}`, status };
}

/** Did a fallback defer the write, in place of the dependency's answer? */
export function isDeferred(value: unknown): value is Deferred {
  return typeof value === 'object' && value !== null && (value as { deferred?: unknown }).deferred === true;
}

/** Answers 202 with `Location` and the state as JSON (RFC 9110, 15.3.3). On node's response: in any framework. */
export function accepted(res: ServerResponse, deferred: Deferred): void {
  const body = Buffer.from(JSON.stringify(deferred));
  res.statusCode = 202;
  res.setHeader('Location', deferred.location);
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', body.byteLength);
  res.end(body);
}
