import { RequestCall, type RequestFacts, type Spillway } from '@spillway/core';

/** The call of an inbound request, as an adapter makes it. `leftMs`: time it has. */
export function inboundCall(
  { clock }: Spillway<{ quotes: never }>,
  facts: Partial<RequestFacts> = {},
  leftMs: number = Number.POSITIVE_INFINITY,
): RequestCall {
  const now = clock.now();
  return new RequestCall(clock, now, now + leftMs, now + leftMs, {
    method: 'POST',
    attempt: 1,
    criticality: 'critical',
    idempotencyKey: undefined,
    callerScope: undefined,
    ...facts,
  });
}
