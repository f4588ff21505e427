import {
  type Blame,
  ERROR_CATALOGUE,
  type ErrorCode,
  type Sent,
  type StopReason,
} from './error-catalogue.js';

export interface SpillwayErrorInit {
  readonly dependency?: string | undefined;
  readonly operation?: string | undefined;
  readonly cause?: unknown;
  /** Overrides the catalogue's status (ERR_UPSTREAM goes by the outcome table). */
  readonly status?: number | undefined;
  /** Milliseconds until trying again may help; becomes `Retry-After`, in whole seconds rounded up, at least 1. */
  readonly retryAfterMs?: number | undefined;
  readonly stopped?: StopReason | undefined;
  readonly sent?: Sent | undefined;
  readonly attempts?: number | undefined;
  /** More members for `toJSON` and problem details; nothing secret. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** Shared by every copy of the package, so that they recognise each other's errors. */
const BRAND: symbol = Symbol.for('spillway.error');

/**
 * The one error class. `code` tells what happened, `blame` who is at fault; `status`, `statusCode`, `expose` and
 * `headers` make the default error handlers of Express, Koa and Fastify answer correctly by themselves. The
 * inspection (`toJSON`, `util.inspect`) never shows headers, query or body of an outgoing request.
 */
export class SpillwayError extends Error {
  declare readonly code: ErrorCode;
  declare readonly status: number;
  declare readonly statusCode: number;
  declare readonly dependency: string | undefined;
  declare readonly operation: string | undefined;
  declare readonly retryAfterMs: number | undefined;
  declare readonly stopped: StopReason | undefined;
  declare readonly sent: Sent | undefined;
  declare readonly attempts: number | undefined;
  readonly #details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: ErrorCode, message: string, init: SpillwayErrorInit = NOTHING) {
    super(message);
    const status = init.status ?? ERROR_CATALOGUE[code].status;
    this.code = code;
    this.status = status;
    this.statusCode = status;
    this.dependency = init.dependency;
    this.operation = init.operation;
    this.retryAfterMs = init.retryAfterMs;
    this.stopped = init.stopped;
    this.sent = init.sent;
    this.attempts = init.attempts;
    this.#details = init.details;
    if (init.cause !== undefined) hidden(this, 'cause', init.cause);
  }

  get blame(): Blame {
    return ERROR_CATALOGUE[this.code].blame;
  }

  /** May its message be shown to the client? */
  get expose(): boolean {
    return ERROR_CATALOGUE[this.code].expose;
  }

  /** For default error handlers: `Retry-After` where trying again may help. */
  get headers(): Readonly<Record<string, string>> | undefined {
    return retryAfterHeader(this.code, this.retryAfterMs);
  }

  get details(): Readonly<Record<string, unknown>> | undefined {
    return this.#details;
  }

  toJSON(): Record<string, unknown> {
    const json: Record<string, unknown> = { code: this.code, message: this.message, status: this.status };
    for (const name of ['dependency', 'operation', 'stopped', 'sent', 'attempts', 'retryAfterMs'] as const) {
      if (this[name] !== undefined) json[name] = this[name];
    }
    if (this.details !== undefined) Object.assign(json, this.details);
    const cause = describeCause(this.cause);
    if (cause !== undefined) json['cause'] = cause;
    return json;
  }
}

function inspectError(this: SpillwayError): string {
  const { code, message, ...rest } = this.toJSON();
  return `SpillwayError [${code}]: ${message} ${JSON.stringify(rest)}`;
}

hidden(SpillwayError.prototype, 'name', 'SpillwayError');
hidden(SpillwayError.prototype, BRAND, true);
hidden(SpillwayError.prototype, Symbol.for('nodejs.util.inspect.custom'), inspectError);

const NOTHING: SpillwayErrorInit = {};
const NO_LIMIT = undefined as unknown as number;

/** Where intrinsics are frozen nobody may say how long stacks are. */
const MAY_LIMIT_STACKS: boolean =
  Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')?.writable === true;

function keepsStack(code: ErrorCode): boolean {
  return !MAY_LIMIT_STACKS || ERROR_CATALOGUE[code].misuse === true;
}

/**
 * Makes an error of the catalogue. What happens in operation carries no stack: capturing one costs microseconds
 * for every refused call, and default error handlers would print it to the client. Without a number as its limit V8
 * does not even begin to capture; with 0 it does, at twice the cost.
 */
export function spillwayError(code: ErrorCode, message: string, init?: SpillwayErrorInit): SpillwayError {
  if (keepsStack(code)) return new SpillwayError(code, message, init);
  const error = errorAsValue(code, message, init);
  error.stack = `SpillwayError: ${message}`;
  return error;
}

/**
 * The same for whoever gets it as a value and throws nothing: its `stack` is undefined. To write the text that loggers
 * find there costs an eighth of all that a refusal does.
 */
export function errorAsValue(code: ErrorCode, message: string, init?: SpillwayErrorInit): SpillwayError {
  if (!MAY_LIMIT_STACKS) return new SpillwayError(code, message, init);
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = NO_LIMIT;
  try {
    return new SpillwayError(code, message, init);
  } finally {
    Error.stackTraceLimit = limit;
  }
}

/** Recognises Spillway's errors, those of another copy of the package too; optionally one `code`. */
export function isSpillwayError(error: unknown, code?: ErrorCode): error is SpillwayError {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  return code === undefined || (error as SpillwayError).code === code;
}

/** A refusal of our own: the callee is innocent, and nobody may learn from it. */
export function isRefusal(error: unknown): error is SpillwayError {
  return isSpillwayError(error) && error.blame === 'us';
}

/** What a dependency asks for is passed on up to an hour; what our own breakers say is exact. */
const LONGEST_PASSED_ON_MS = 3_600_000;

function retryAfterHeader(
  code: ErrorCode,
  ms: number | undefined,
): Readonly<Record<string, string>> | undefined {
  if (ms === undefined) return undefined;
  return {
    'Retry-After': retryAfterSeconds(code === 'ERR_UPSTREAM' ? Math.min(ms, LONGEST_PASSED_ON_MS) : ms),
  };
}

/** `Retry-After` in whole seconds: rounded up, never 0 (C-056). */
export function retryAfterSeconds(ms: number): string {
  return String(Math.max(1, Math.ceil(ms / 1000)));
}

/** Sets a property that neither enumerates nor serialises. */
export function hidden(target: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: false, writable: true, configurable: true });
}

/**
 * What may be said of a cause: name, code and status, method, origin and route of an HTTP failure. Never its
 * headers, query, body or free text, which can hold all of those.
 */
export function describeCause(cause: unknown): Record<string, unknown> | undefined {
  if (cause === undefined || cause === null) return undefined;
  if (isSpillwayError(cause)) return cause.toJSON();
  if (typeof cause !== 'object') return { name: typeof cause };
  const { name, code, response, options } = cause as {
    name?: unknown;
    code?: unknown;
    response?: { statusCode?: unknown };
    options?: { method?: unknown; url?: unknown };
  };
  const said: Record<string, unknown> = { name: typeof name === 'string' ? name : 'Error' };
  if (typeof code === 'string' || typeof code === 'number') said['code'] = code;
  const status = response?.statusCode ?? (cause as { status?: unknown }).status;
  if (typeof status === 'number') said['status'] = status;
  if (typeof options?.method === 'string') said['method'] = options.method;
  const url = options?.url;
  if (url instanceof URL) Object.assign(said, { origin: url.origin, path: url.pathname });
  return said;
}
