import type { IncomingMessage } from 'node:http';
import type { Trusts } from './request-facts.js';

/** Longest delay a timer can be given; longer deadlines are cut to it (vectors D9, D20). */
const LONGEST_DEADLINE_MS = 2_147_483_647;

/** What the deadline headers of one request say. */
export interface CallerDeadline {
  /** Shortest of all valid ones, in ms from arrival, 0 when already over; `undefined` when there is none. */
  readonly ms: number | undefined;
  /** The header it came from; `default` when none. */
  readonly source: string;
  /** Headers that were there but not well-formed. They count as absent (D3). */
  readonly malformed: readonly string[];
}

export interface DeadlineAlias {
  readonly header: string;
  readonly unit: 'ms' | 's';
}

/** A value's reading: ms from arrival, or one of the two below. */
const MALFORMED = -1;
/** The header is well-formed and sets no deadline. */
const UNBOUNDED = -2;

type Reader = (text: string) => number;

/** The name an event gives to a deadline that nobody sent. */
const NO_SOURCE = 'default';

const NOT_SENT: CallerDeadline = Object.freeze({ ms: undefined, source: NO_SOURCE, malformed: [] });

/**
 * Reads the deadline headers of a request. Strict: what a header's grammar does not allow is malformed, never
 * "no deadline" and never "expired". A header sent twice reaches us joined by a comma, so it is malformed too.
 * Envoy's header is read from a trusted peer only: others may shorten their deadline by the headers made for that.
 */
export class DeadlineHeaders {
  readonly #aliases: readonly { readonly name: string; readonly read: Reader }[];

  constructor(aliases: readonly DeadlineAlias[] = []) {
    this.#aliases = aliases.map(({ header, unit }) => ({
      name: header.toLowerCase(),
      read: unit === 's' ? readSeconds : readMs,
    }));
  }

  /** @param trusts asked only when the answer matters */
  read(
    req: Pick<IncomingMessage, 'headers' | 'socket'>,
    trusts: Trusts,
    headers: IncomingMessage['headers'] = req.headers,
  ): CallerDeadline {
    const budget = headers['x-request-budget-ms'];
    const grpc = headers['grpc-timeout'];
    const connect = headers['connect-timeout-ms'];
    const envoy = headers['x-envoy-expected-rq-timeout-ms'];
    const bare = budget === undefined && grpc === undefined && connect === undefined && envoy === undefined;
    if (bare && this.#aliases.length === 0) return NOT_SENT;
    const reading = new Reading();
    reading.take('x-request-budget-ms', budget, readMs);
    reading.take('grpc-timeout', grpc, readGrpcTimeout);
    reading.take('connect-timeout-ms', connect, readConnectTimeout);
    if (envoy !== undefined && trusts(req.socket.remoteAddress))
      reading.take('x-envoy-expected-rq-timeout-ms', envoy, readEnvoy);
    for (const { name, read } of this.#aliases) reading.take(name, headers[name], read);
    return reading;
  }
}

class Reading implements CallerDeadline {
  ms: number | undefined = undefined;
  source: string = NO_SOURCE;
  malformed: readonly string[] = NOT_SENT.malformed;

  take(name: string, value: string | string[] | undefined, read: Reader): void {
    if (value === undefined) return;
    const ms = typeof value === 'string' ? read(value) : MALFORMED;
    if (ms === UNBOUNDED) return;
    if (ms === MALFORMED) {
      this.malformed = [...this.malformed, name];
      return;
    }
    if (this.ms !== undefined && this.ms <= ms) return;
    this.ms = Math.min(ms, LONGEST_DEADLINE_MS);
    this.source = name;
  }
}

/** 1 to `longest` decimal digits and nothing else; otherwise MALFORMED. */
function digits(text: string, longest: number): number {
  const { length } = text;
  if (length === 0 || length > longest) return MALFORMED;
  let value = 0;
  for (let i = 0; i < length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return MALFORMED;
    value = value * 10 + digit;
  }
  return value;
}

/** `X-Request-Budget-Ms` and aliases in ms. 0 means nothing there, so it is malformed (standards 1.5). */
function readMs(text: string): number {
  const ms = digits(text, 15);
  return ms === 0 ? MALFORMED : ms;
}

function readSeconds(text: string): number {
  const seconds = digits(text, 12);
  return seconds <= 0 ? MALFORMED : seconds * 1000;
}

/** connectrpc.com: 1*10DIGIT, 0 is over already. */
function readConnectTimeout(text: string): number {
  return digits(text, 10);
}

/** Envoy's 0 is its infinite. */
function readEnvoy(text: string): number {
  const ms = digits(text, 15);
  return ms === 0 ? UNBOUNDED : ms;
}

/** Units of grpc-timeout in ms, as a numerator and a divisor, so that no value is rounded before the end. */
const GRPC_UNITS: Readonly<Record<string, readonly [times: number, over: number]>> = {
  H: [3_600_000, 1],
  M: [60_000, 1],
  S: [1000, 1],
  m: [1, 1],
  u: [1, 1000],
  n: [1, 1_000_000],
};

/** `1*8DIGIT` and a unit, case-sensitive. Rounded up to whole ms, so that only 0 is over already. */
function readGrpcTimeout(text: string): number {
  const unit = GRPC_UNITS[text.slice(-1)];
  const value = digits(text.slice(0, -1), 8);
  if (unit === undefined || value === MALFORMED) return MALFORMED;
  return Math.ceil((value * unit[0]) / unit[1]);
}

/**
 * The value of `X-Request-Budget-Ms` for a request that goes out: whole ms, rounded down, so that never more is
 * promised than is left. `undefined` when nothing is left: such a request is not sent (C-060).
 */
export function formatBudget(leftMs: number): string | undefined {
  if (!(leftMs > 0)) return undefined;
  return String(Math.max(1, Math.floor(Math.min(leftMs, LONGEST_DEADLINE_MS))));
}
