import type { Criticality } from '../telemetry/events.js';
import type { Entry } from './inbound.js';

/** What an application may say of its requests when they come, in terms of its framework's request. */
export interface EntryOptions<Req> {
  /** Never refused, not counted at the gate: paths, or a predicate. For health checks. */
  readonly exempt?: readonly string[] | ((request: Req) => boolean);
  /** Criticality of a request, in place of what a trusted caller says; `undefined` keeps that. */
  readonly priority?: (request: Req) => Criticality | undefined;
  /** Who calls: keeps apart the idempotency keys of different callers when they are passed on. */
  readonly callerScope?: (request: Req) => string | undefined;
}

/** Reads what the options say of a request; `undefined` when there is nothing to read. */
export function entryReader<Req>(
  { exempt, priority, callerScope }: EntryOptions<Req>,
  pathOf: (request: Req) => string,
): ((request: Req) => Entry) | undefined {
  if (exempt === undefined && priority === undefined && callerScope === undefined) return undefined;
  const isExempt = exemption(exempt, pathOf);
  return (request) => ({
    exempt: isExempt(request),
    priority: priority?.(request),
    callerScope: callerScope?.(request),
  });
}

function exemption<Req>(
  exempt: EntryOptions<Req>['exempt'],
  pathOf: (request: Req) => string,
): (request: Req) => boolean {
  if (exempt === undefined) return () => false;
  if (typeof exempt === 'function') return exempt;
  const paths = new Set(exempt);
  return (request) => paths.has(pathOf(request));
}
