import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { RequestFacts } from '../call/request-call.js';
import type { Criticality } from '../telemetry/events.js';

/** The class of a request that says nothing about it, or whose word does not count. */
export const DEFAULT_CRITICALITY: Criticality = 'critical';

/** Criticality classes from the first to be shed to the last; a class's rank is its index. */
export const CRITICALITIES: readonly Criticality[] = [
  'sheddable',
  'sheddable_plus',
  'critical',
  'critical_plus',
];

const RANKS: ReadonlyMap<unknown, number> = new Map(CRITICALITIES.map((name, rank) => [name, rank]));

/** Longer ones are nobody's key. */
const LONGEST_KEY = 255;

/** Is the peer of this connection one of ours? `undefined` once the socket is closed. */
export type Trusts = (peer: string | undefined) => boolean;

export function rankOf(criticality: Criticality): number {
  return RANKS.get(criticality) ?? 2;
}

/** `X-Request-Criticality`, believed from a trusted peer only. */
export function criticalityOf(
  req: IncomingMessage,
  trusts: Trusts,
  headers: IncomingHttpHeaders = req.headers,
): Criticality {
  const said = headers['x-request-criticality'];
  if (said === undefined || !RANKS.has(said) || !trusts(req.socket.remoteAddress)) return DEFAULT_CRITICALITY;
  return said as Criticality;
}

/** Has its caller said which attempt it is? Then it hears whose the next one is. */
export function saysAttempt(headers: IncomingHttpHeaders): boolean {
  return headers['x-request-attempt'] !== undefined;
}

/** `X-Request-Attempt`, 1-based, believed from a trusted peer only; otherwise 1. */
function attemptOf(req: IncomingMessage, trusts: Trusts): number {
  const said = req.headers['x-request-attempt'];
  if (typeof said !== 'string' || !/^[1-9]\d{0,3}$/.test(said)) return 1;
  return trusts(req.socket.remoteAddress) ? Number(said) : 1;
}

const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** May the work of such a request be given up when nobody waits for it any more? */
export function isSafe(method: string | undefined): boolean {
  return SAFE_METHODS.has(method);
}

/** The facts of one request. Criticality can be set by its route. */
export class InboundFacts implements RequestFacts {
  readonly method: string;
  readonly attempt: number;
  criticality: Criticality;
  readonly idempotencyKey: string | undefined;
  readonly callerScope: string | undefined;
  readonly headers: IncomingHttpHeaders;

  constructor(
    req: IncomingMessage,
    trusts: Trusts,
    criticality: Criticality,
    callerScope: string | undefined,
  ) {
    this.method = req.method ?? 'GET';
    this.attempt = attemptOf(req, trusts);
    this.criticality = criticality;
    this.idempotencyKey = keyOf(req.headers['idempotency-key']);
    this.callerScope = callerScope;
    this.headers = req.headers;
  }
}

function keyOf(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string' || header.length === 0 || header.length > LONGEST_KEY) return undefined;
  return header;
}
