import type { Attempt, AttemptContext } from '../call/attempt.js';
import { isSpillwayError } from '../call/errors.js';
import { GOOD, type Judgement, judge } from '../call/judgement.js';
import type { Outcome } from '../call/outcome.js';
import { kindOfStatus, type OutcomeKind } from '../call/outcome-table.js';
import { parseRetryAfter } from '../inbound/retry-after.js';
import type { InjectedAnswer } from '../policies/fault-options.js';
import type { Clock } from '../time/clock.js';
import type { CallOptions, Operation } from './operation.js';

/** A function given to `.call()`: a query, a gRPC stub, an SDK, a fetch. */
export type Work<T> = (attempt: AttemptContext) => T | Promise<T>;

/** The part of a fetch Response that the outcome table reads. */
interface ResponseLike {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body?: { cancel?(): Promise<void> } | null;
}

/** Makes an operation of a function; a fetch `Response` that it returns is judged by its status. */
export class FunctionOperation<T> implements Operation<T> {
  readonly options: CallOptions<unknown>;
  private readonly fn: Work<T>;
  private readonly clock: Clock;

  constructor(work: Work<T>, options: CallOptions<unknown>, clock: Clock) {
    this.options = options;
    this.fn = work;
    this.clock = clock;
  }

  get operation(): string {
    return this.options.operation ?? 'call';
  }

  get method(): undefined {
    return undefined;
  }

  get path(): undefined {
    return undefined;
  }

  get origin(): undefined {
    return undefined;
  }

  get keyed(): boolean {
    return this.options.idempotencyKey !== undefined;
  }

  get key(): string | undefined {
    return this.options.idempotencyKey;
  }

  get idempotent(): boolean {
    return this.options.idempotent === true || this.keyed;
  }

  /** Two calls of one name ask for different things, unless a key says for what. */
  get answerKey(): string | undefined {
    const { key } = this.options;
    return key === undefined || !this.idempotent ? undefined : `${key} ${this.operation}`;
  }

  /** A fetch `Response` can be read but once. */
  keep(value: T): unknown {
    return isResponse(value) ? undefined : value;
  }

  work(attempt: AttemptContext): T | Promise<T> {
    return this.fn(attempt);
  }

  /** A `Response` of the status, or an error as fetch tells it. */
  pretend(_attempt: Attempt, answer: InjectedAnswer): T {
    if ('status' in answer) {
      // what a function that fetches answers with; nobody but the outcome table can make sense of it otherwise
      return new Response(null, { status: answer.status }) as T;
    }
    if ('error' in answer) throw answer.error;
    const { code } = answer;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error(`injected ${code}`), { code }) });
  }

  judge(outcome: Outcome<T>, attempt: Attempt): Judgement {
    if (outcome.ok) return isResponse(outcome.value) ? this.judgeResponse(outcome.value) : GOOD;
    return judge(attempt.cancelled ? 'cancelled' : kindOfError(outcome.error));
  }

  discard(value: T): void {
    // a discarded body that nobody cancels keeps its connection
    if (isResponse(value)) value.body?.cancel?.().catch(() => undefined);
  }

  private judgeResponse(response: ResponseLike): Judgement {
    const asked = parseRetryAfter(response.headers.get('retry-after') ?? undefined, this.clock.wall());
    const { status, headers } = response;
    const told = headers.get('x-should-retry') === 'false' || headers.get('x-envoy-overloaded') !== null;
    if (status < 400) return GOOD;
    return judge(kindOfStatus(status, this.keyed, asked !== undefined), {
      status,
      retryAfterMs: asked?.past === true ? undefined : asked?.ms,
      shouldRetry: told ? false : undefined,
    });
  }
}

/** Is it a fetch Response, of whichever implementation? */
export function isResponse(value: unknown): value is ResponseLike {
  if (typeof value !== 'object' || value === null) return false;
  const { status, headers, arrayBuffer } = value as {
    status?: unknown;
    headers?: { get?: unknown };
    arrayBuffer?: unknown;
  };
  return (
    typeof status === 'number' && typeof headers?.get === 'function' && typeof arrayBuffer === 'function'
  );
}

const PROGRAMMER_ERRORS: ReadonlySet<unknown> = new Set([
  'TypeError',
  'ReferenceError',
  'SyntaxError',
  'RangeError',
  'EvalError',
  'URIError',
]);

/** The row of what a function threw. Errors are told by name: those of another realm are not `instanceof` ours. */
function kindOfError(error: unknown): OutcomeKind {
  if (isSpillwayError(error)) return kindOfOurs(error.code, error.blame);
  if (typeof error !== 'object' || error === null) return 'thrown';
  const { name, cause } = error as { name?: unknown; cause?: unknown };
  if (name === 'TypeError' && cause !== undefined) return kindOfConnectionError(cause);
  return PROGRAMMER_ERRORS.has(name) ? 'misuse' : 'thrown';
}

/** Our own errors out of nested calls: a refusal there is none of this callee's failures either. */
function kindOfOurs(code: string, blame: string): OutcomeKind {
  if (code === 'ERR_CANCELLED') return 'cancelled';
  if (
    code === 'ERR_CLOSED' ||
    code === 'ERR_CONFIG' ||
    code === 'ERR_UNKNOWN_DEPENDENCY' ||
    code === 'ERR_FALLBACK_LOOP'
  )
    return 'misuse';
  return blame === 'us' ? 'refused' : 'thrown';
}

const UNSENT_CODES: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** fetch wraps connection failures in a TypeError with a cause. */
function kindOfConnectionError(cause: unknown): OutcomeKind {
  const code = (cause as { code?: unknown } | null)?.code;
  if (UNSENT_CODES.has(code)) return 'unsent';
  if (typeof code === 'string' && /CERT|TLS|SIGNED|LEAF_SIGNATURE/.test(code)) return 'certificate';
  return 'reset';
}
