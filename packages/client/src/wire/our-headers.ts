import type { Attempt } from '@spillway/core';
import type { HttpRequest } from '../request/http-request.js';

export type OutgoingHeaders = Record<string, string | string[] | undefined>;

const BUDGET = 'x-request-budget-ms';
const ATTEMPT = 'x-request-attempt';
const CRITICALITY = 'x-request-criticality';
const KEY = 'idempotency-key';

/** What a receiver reads as milliseconds has at most 15 digits. */
const LONGEST_BUDGET_MS = 999_999_999_999_999;

/**
 * Sets Spillway's headers of one attempt (DESIGN: On the wire): the time this attempt has, rounded down and never 0,
 * its number, the inbound request's criticality, the operation's idempotency key, and what hooks add. To a dependency with
 * `propagate: false` goes the key alone, and only because somebody asked for it.
 */
export function setOurHeaders(headers: OutgoingHeaders, request: HttpRequest, attempt: Attempt): void {
  if (request.key !== undefined) headers[KEY] = request.key;
  if (!request.upstream.options.propagate) return;
  const leftMs = attempt.remainingMs();
  if (leftMs === Number.POSITIVE_INFINITY) delete headers[BUDGET];
  else headers[BUDGET] = String(Math.min(LONGEST_BUDGET_MS, Math.max(1, Math.floor(leftMs))));
  headers[ATTEMPT] = String(attempt.number);
  const { inbound } = request;
  if (inbound !== undefined) headers[CRITICALITY] = inbound.facts.criticality;
  const { headerHooks } = request.upstream;
  if (headerHooks.enabled) headerHooks.add(headers, attempt);
}

/** A redirect to another origin is none of the dependency's: our headers stay at home. */
export function dropOurHeaders(headers: OutgoingHeaders, request: HttpRequest): void {
  for (const name of [BUDGET, ATTEMPT, CRITICALITY, KEY]) delete headers[name];
  request.upstream.headerHooks.drop(headers);
}
