import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { retryAfterSeconds, type SpillwayError } from '../call/errors.js';
import type { RequestCall } from '../call/request-call.js';

/** Headers handed to `writeHead`: an object, a flat list, or a list of pairs. */
export type GivenHeaders =
  | OutgoingHttpHeaders
  | readonly OutgoingHttpHeader[]
  | readonly (readonly [string, unknown])[]
  | undefined;

/**
 * Adds to an answer, while its headers are being written, what its call has to say: who stood in (`X-Degraded`),
 * when a refused client may come back (`Retry-After`, unless the application set one), and that this operation has
 * been retried already (`X-Should-Retry`).
 */
export function addCallHeaders(
  res: ServerResponse,
  status: number,
  given: GivenHeaders,
  call: RequestCall,
): void {
  if (call.degraded.size > 0) res.setHeader('X-Degraded', degradedValue(call.degraded));
  if (status < 429) return;
  if (status === 503 || status === 504) addRetryAfter(res, given, call.failure);
  if ((status >= 500 || status === 429) && wasRetried(call)) res.setHeader('X-Should-Retry', 'false');
}

function addRetryAfter(res: ServerResponse, given: GivenHeaders, failure: SpillwayError | undefined): void {
  if (failure?.retryAfterMs === undefined) return;
  if (res.hasHeader('Retry-After') || gives(given, 'retry-after')) return;
  res.setHeader('Retry-After', retryAfterSeconds(failure.retryAfterMs));
}

/** One layer owns the retries: is it here, or did somebody below or above us say that it is theirs? */
export function wasRetried(call: RequestCall): boolean {
  if (call.facts.attempt > 1) return true;
  return call.failure !== undefined && (call.attemptsMade >= 2 || call.toldNotToRetry);
}

function degradedValue(names: ReadonlySet<string>): string {
  // a dependency's name is anything; a header's value is not
  return [...names].map((name) => name.replace(/[^\x21-\x7e]|,/g, '?')).join(', ');
}

function gives(given: GivenHeaders, name: string): boolean {
  if (given === undefined) return false;
  if (!Array.isArray(given)) return Object.keys(given).some((key) => key.toLowerCase() === name);
  const isNamed = (key: unknown) => typeof key === 'string' && key.toLowerCase() === name;
  return given.some((entry, i) => (Array.isArray(entry) ? isNamed(entry[0]) : i % 2 === 0 && isNamed(entry)));
}
