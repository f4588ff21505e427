import type { ErrorCode } from '../call/error-catalogue.js';
import type { Criticality, EventOf } from '../telemetry/events.js';
import type { RefusalReason } from './guest.js';
import type { InboundRuntime } from './inbound-runtime.js';
import { CRITICALITIES, DEFAULT_CRITICALITY } from './request-facts.js';

function priorityOf(rank: number): Criticality {
  return CRITICALITIES[rank] ?? DEFAULT_CRITICALITY;
}

export function reportAdmitted(rt: InboundRuntime, rank: number, source: string, workUntil: number): void {
  if (!rt.emit.enabled) return;
  const at = rt.clock.now();
  const priority = priorityOf(rank);
  rt.emit.emit({ type: 'inbound.admitted', at, deadlineLeftMs: workUntil - at, source, priority });
}

export function reportRefused(
  rt: InboundRuntime,
  rank: number,
  reason: RefusalReason,
  retryAfterMs: number,
  observed: boolean,
): void {
  if (!rt.emit.enabled) return;
  const priority = priorityOf(rank);
  rt.emit.emit({ type: 'inbound.refused', at: rt.clock.now(), reason, priority, retryAfterMs, observed });
}

export function reportMalformed(rt: InboundRuntime, headers: readonly string[], at: number): void {
  if (!rt.emit.enabled) return;
  for (const header of headers) rt.emit.emit({ type: 'inbound.malformed', at, header });
}

export function reportExpired(rt: InboundRuntime, source: string, at: number): void {
  if (rt.emit.enabled) rt.emit.emit({ type: 'inbound.expired', at, source });
}

export function reportDeadline(rt: InboundRuntime, at: number, arrivedAt: number): void {
  if (rt.emit.enabled) rt.emit.emit({ type: 'inbound.deadline', at, elapsedMs: at - arrivedAt });
}

export function reportLate(rt: InboundRuntime, how: EventOf<'inbound.late'>['how']): void {
  if (rt.emit.enabled) rt.emit.emit({ type: 'inbound.late', at: rt.clock.now(), how });
}

export function reportFallback(rt: InboundRuntime, how: 'used' | 'failed', code: ErrorCode): void {
  if (rt.emit.enabled) rt.emit.emit({ type: 'inbound.fallback', at: rt.clock.now(), how, code });
}

/** @param status `undefined` when no status was sent: an answer nobody got has none (C-087) */
export function reportEnd(
  rt: InboundRuntime,
  outcome: EventOf<'inbound.end'>['outcome'],
  status: number | undefined,
  arrivedAt: number,
): void {
  if (!rt.emit.enabled) return;
  const at = rt.clock.now();
  rt.emit.emit({ type: 'inbound.end', at, outcome, status, durationMs: at - arrivedAt });
}
