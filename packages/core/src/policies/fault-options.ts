import { spillwayError } from '../call/errors.js';
import { parseDuration } from '../config/durations.js';
import type { Duration } from '../config/types.js';
import type { FaultKind } from '../telemetry/events.js';

/** What `dependency(name).inject()` takes: a fault that attempts suffer as if the dependency caused it. */
export interface Fault {
  /** Share of the attempts that suffer it, above 0 up to 1. Default 1. */
  readonly share?: number;
  /** Time that goes before the dependency is asked, or the fault answers; cut by the attempt's own time. */
  readonly latency?: Duration;
  /**
   * Answers with this status, 200 to 599, instead of asking; read by the outcome table like any answer. A function gets
   * a fetch `Response` of that status.
   */
  readonly status?: number;
  /**
   * Fails instead of asking. A code of Node's (`'ECONNREFUSED'`: surely not sent, `'ECONNRESET'`: perhaps sent) is a
   * failed connection, told to a function as fetch tells it; an Error is thrown as it is.
   */
  readonly error?: string | Error;
  /** When it ends: so long from now, or at that instant of the wall clock. Default: when it is undone. */
  readonly until?: Duration | Date;
}

/** What an attempt gets in the dependency's place. */
export type InjectedAnswer =
  | { readonly status: number }
  /** Of a connection that failed. */
  | { readonly code: string }
  | { readonly error: Error };

/** A fault after validation. */
export interface ResolvedFault {
  readonly share: number;
  readonly latencyMs: number;
  /** undefined: the dependency itself answers, late. */
  readonly answer: InjectedAnswer | undefined;
  /** Time it has; Infinity until it is undone. */
  readonly lastsMs: number;
  readonly kind: FaultKind;
}

const KNOWN: ReadonlySet<string> = new Set(['share', 'latency', 'status', 'error', 'until']);
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** @param wall what the wall clock says now. @throws SpillwayError ERR_CONFIG naming the option, its value and range */
export function readFault(dependency: string, fault: Fault, wall: number): ResolvedFault {
  const bad = (option: string, value: unknown, allowed: string) =>
    spillwayError(
      'ERR_CONFIG',
      `inject into ${dependency}: ${option} is ${told(value)}, allowed is ${allowed}`,
      { dependency },
    );
  if (typeof fault !== 'object' || fault === null)
    throw bad('the fault', fault, 'an object with latency, status or error');
  const unknown = Object.keys(fault).find((option) => !KNOWN.has(option));
  if (unknown !== undefined) throw bad('an option', unknown, [...KNOWN].join(', '));
  const { share = 1, latency, status, error } = fault;
  if (!(typeof share === 'number' && share > 0 && share <= 1)) throw bad('share', share, 'above 0 up to 1');
  const latencyMs = latency === undefined ? 0 : parseDuration(latency);
  if (latencyMs === undefined) throw bad('latency', latency, "a duration of 0 or more, as '400ms'");
  if (status !== undefined && !(Number.isInteger(status) && status >= 200 && status <= 599))
    throw bad('status', status, 'a whole number from 200 to 599');
  if (error !== undefined && !isError(error) && !(typeof error === 'string' && CODE.test(error)))
    throw bad('error', error, "a code as 'ECONNRESET', or an Error");
  if (status !== undefined && error !== undefined) throw bad('status', status, 'nothing beside error');
  if (latency === undefined && status === undefined && error === undefined)
    throw bad('the fault', fault, 'one with latency, status or error');
  const lastsMs = lastsOf(fault.until, wall);
  if (lastsMs === undefined) throw bad('until', fault.until, "a duration above 0, as '5m', or a later Date");
  const answer = answerOf(status, error);
  return { share, latencyMs, answer, lastsMs, kind: kindOf(latencyMs, answer) };
}

function lastsOf(until: Fault['until'], wall: number): number | undefined {
  if (until === undefined) return Number.POSITIVE_INFINITY;
  const ms = isDate(until) ? until.getTime() - wall : parseDuration(until);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

function answerOf(status: number | undefined, error: Fault['error']): InjectedAnswer | undefined {
  if (status !== undefined) return { status };
  if (error === undefined) return undefined;
  return typeof error === 'string' ? { code: error } : { error };
}

function kindOf(latencyMs: number, answer: InjectedAnswer | undefined): FaultKind {
  if (answer === undefined) return 'latency';
  const how = 'status' in answer ? 'status' : 'error';
  return latencyMs === 0 ? how : `latency+${how}`;
}

/** Errors of another realm are not `instanceof` ours. */
function isError(error: unknown): error is Error {
  if (typeof error !== 'object' || error === null) return false;
  const { message, name } = error as Partial<Error>;
  return typeof message === 'string' && typeof name === 'string';
}

/** So are dates. */
function isDate(value: unknown): value is Date {
  return typeof (value as Partial<Date> | null)?.getTime === 'function';
}

function told(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (isDate(value)) return Number.isNaN(value.getTime()) ? 'no date' : value.toISOString();
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
