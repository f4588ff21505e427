import {
  after,
  type Clock,
  systemClock,
  type TransportRequest,
  type TransportResponse,
} from '@spillway/core';
import { bodyOf, isJson, partOf } from './body.js';

/** How a scripted transport answers one request. */
export interface ScriptedReply {
  /** Default 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Text and bytes go out as they are, anything else as JSON. Default `{"status":<status>}`. */
  readonly body?: unknown;
  /** Milliseconds of the transport's clock before it answers or fails. */
  readonly latency?: number;
  /** Fails instead of answering, with an error of this `code`: `ECONNREFUSED`, `ECONNRESET`, `ENOTFOUND`, … */
  readonly error?: string;
  /** Never answers; ends when the attempt is given up. */
  readonly hang?: true;
  /** The body breaks off after this many bytes; `true`: after half of it. */
  readonly truncate?: number | true;
  /** Goes on although the attempt was given up, as work does that ignores its signal. */
  readonly ignoresAbort?: true;
}

/** A status, a reply, or a function of the request that gives one. */
export type ScriptedStep =
  | number
  | ScriptedReply
  | ((request: TransportRequest) => number | ScriptedReply | Promise<number | ScriptedReply>);

/** One step for every request, or a list of which the last repeats. */
export type TransportScript = ScriptedStep | readonly ScriptedStep[];

export interface ScriptedTransportOptions {
  /** Whose time `latency` takes. Default the system clock; give it the spillway's manual clock. */
  readonly clock?: Clock;
}

/** A transport that answers from a script and keeps what it was asked. */
export interface ScriptedTransport {
  (request: TransportRequest): Promise<TransportResponse>;
  /** Every request so far, in order. */
  readonly requests: readonly TransportRequest[];
  /** How many. */
  readonly count: number;
  /** Replaces the script; its first step is for the next request. */
  script(script: TransportScript): void;
}

/**
 * Stands in for a dependency's network: `createSpillway(config, { transports: { quotes: scriptedTransport([503, 200]) } })`.
 *
 * @param script default: answers 200
 */
export function scriptedTransport(
  script: TransportScript = 200,
  options: ScriptedTransportOptions = {},
): ScriptedTransport {
  const clock = options.clock ?? systemClock();
  const requests: TransportRequest[] = [];
  let steps = stepsOf(script);
  let next = 0;
  const transport = async (request: TransportRequest): Promise<TransportResponse> => {
    requests.push(request);
    const step = steps[Math.min(next++, steps.length - 1)] ?? 200;
    const reply = typeof step === 'function' ? await step(request) : step;
    return play(clock, typeof reply === 'number' ? { status: reply } : reply, request);
  };
  const replace = (newScript: TransportScript) => {
    steps = stepsOf(newScript);
    next = 0;
  };
  return Object.defineProperties(transport, {
    requests: { value: requests },
    count: { get: () => requests.length },
    script: { value: replace },
  }) as ScriptedTransport;
}

function stepsOf(script: TransportScript): readonly ScriptedStep[] {
  return Array.isArray(script) ? (script as readonly ScriptedStep[]) : [script as ScriptedStep];
}

async function play(
  clock: Clock,
  reply: ScriptedReply,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { latency = 0, error, hang } = reply;
  const ms = hang ? Number.POSITIVE_INFINITY : latency;
  if (ms > 0) await wait(clock, ms, reply.ignoresAbort ? undefined : request.signal);
  if (error !== undefined) throw failureOf(error);
  const headers = isJson(reply) ? { 'content-type': 'application/json', ...reply.headers } : reply.headers;
  return { status: reply.status ?? 200, headers: headers ?? {}, body: bodyIn(reply) };
}

/** Settles after `ms`, or rejects with the signal's reason as soon as it aborts. */
function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clock.disarm(timer);
      reject(signal?.reason);
    };
    const timer = after(clock, ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

function bodyIn(reply: ScriptedReply): Uint8Array | AsyncIterable<Uint8Array> {
  const body = bodyOf(reply);
  return reply.truncate === undefined ? body : broken(body.subarray(0, partOf(body.length, reply.truncate)));
}

async function* broken(part: Uint8Array): AsyncGenerator<Uint8Array> {
  yield part;
  throw failureOf('ECONNRESET');
}

function failureOf(code: string): Error {
  return Object.assign(new Error(`scripted ${code}`), { code });
}
