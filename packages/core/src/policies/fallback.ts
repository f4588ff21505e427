import { Call } from '../call/call.js';
import { hidden, isSpillwayError, type SpillwayError, spillwayError } from '../call/errors.js';
import { failure, type Outcome, success } from '../call/outcome.js';
import { requestOf } from '../call/request-call.js';
import type { ResolvedFallback } from '../config/resolved.js';
import type { FallbackContext } from '../config/types.js';
import type { OperationCall } from '../pipeline/operation-call.js';
import { after } from '../time/clock.js';
import { CANCELLED } from './verdicts.js';

const DEFAULT_TIMEOUT_MS = 1000;
const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY']);

/** The call in which a fallback runs. What it calls knows whom it stands in for, so it cannot go in a circle. */
export class FallbackCall extends Call {
  readonly standsInFor: string;
  readonly origin: string | undefined;

  constructor(op: OperationCall, until: number) {
    super(op.clock, op.parent, until);
    this.standsInFor = op.runtime.name;
    this.origin = op.runtime.options.baseUrl?.origin;
  }

  override get answerBy(): number {
    return this.workUntil;
  }
}

/** Refuses, up the whole chain of fallbacks, to call whom one of them stands in for. */
export function fallbackLoop(
  parent: Call | undefined,
  name: string,
  origin: string | undefined,
): SpillwayError | undefined {
  for (let call = parent; call !== undefined; call = call.parent) {
    if (!(call instanceof FallbackCall)) continue;
    if (call.standsInFor !== name && (origin === undefined || call.origin !== origin)) continue;
    const message = `The fallback of ${call.standsInFor} called ${name}; let it answer from something else`;
    return spillwayError('ERR_FALLBACK_LOOP', message, { dependency: name, sent: 'no' });
  }
  return undefined;
}

/** Gives a fallback its way to other dependencies. */
export type FallbackReach = (parent: FallbackCall) => Pick<FallbackContext, 'client' | 'dependency'>;

/** The outermost slot: answers in the dependency's place when the final outcome is a failure it may mend. */
export function fallbackLayer(
  next: (op: OperationCall) => Promise<Outcome<unknown>>,
): (op: OperationCall) => Promise<Outcome<unknown>> {
  return async (op) => mend(op, await next(op));
}

/** What stands in the end: the outcome itself, or what a fallback has in its place. */
export function mend(
  op: OperationCall,
  outcome: Outcome<unknown>,
): Outcome<unknown> | Promise<Outcome<unknown>> {
  const { stale } = op.runtime;
  if (outcome.ok) {
    stale?.remember(op.spec, outcome.value);
    return outcome;
  }
  if (!op.verdict.fallback || op.cancelled) return outcome;
  const configured = op.runtime.options.fallback;
  const fallback = fallbackOf(op, configured);
  if (fallback === undefined || !isSpillwayError(outcome.error)) return outcome;
  if (stale !== undefined && fallback === configured) {
    const kept = stale.recall(op.spec);
    if (kept !== undefined) return serveStale(op, fallback, outcome.error, kept);
    if (!stale.hasOtherwise) return outcome;
  }
  return new FallbackRun(op, fallback, outcome.error).run();
}

/** The call's own fallback runs for any method; the configured one where repeating the request is harmless. */
function fallbackOf(
  op: OperationCall,
  configured: ResolvedFallback | undefined,
): ResolvedFallback | undefined {
  const own = op.spec.options.fallback;
  if (own === false) return undefined;
  if (own !== undefined) return { run: own, timeoutMs: DEFAULT_TIMEOUT_MS, mark: configured?.mark ?? true };
  const { method, idempotent } = op.spec;
  const isSafe = method === undefined ? idempotent : SAFE_METHODS.has(method);
  return isSafe ? configured : undefined;
}

function serveStale(
  op: OperationCall,
  { mark }: ResolvedFallback,
  failed: SpillwayError,
  kept: { readonly value: unknown; readonly ageMs: number },
): Outcome<unknown> {
  op.degraded = true;
  if (mark) requestOf(op.parent)?.degraded.add(`${op.runtime.name};age=${Math.floor(kept.ageMs / 1000)}`);
  report(op, 'fallback.used', failed);
  return success(kept.value);
}

function report(op: OperationCall, type: 'fallback.used' | 'fallback.failed', failed: SpillwayError): void {
  const { runtime, spec, id, clock } = op;
  if (!runtime.emit.enabled) return;
  const base = { dependency: runtime.name, operation: spec.operation, id, at: clock.now() };
  runtime.emit.emit({ type, ...base, cause: failed.code });
}

class FallbackRun {
  readonly #op: OperationCall;
  readonly #fallback: ResolvedFallback;
  readonly #failure: SpillwayError;

  constructor(op: OperationCall, fallback: ResolvedFallback, failure: SpillwayError) {
    this.#op = op;
    this.#fallback = fallback;
    this.#failure = failure;
  }

  async run(): Promise<Outcome<unknown>> {
    const op = this.#op;
    const { clock, answerBy } = op;
    const until = Math.min(answerBy, clock.now() + this.#fallback.timeoutMs);
    const call = new FallbackCall(op, until);
    const timer = after(clock, until - clock.now(), () => call.cancel(this.#timeUp()));
    // it is its parent's child, not the operation's, but the operation's own signal ends it too
    op.listen(call);
    try {
      const value = await this.#race(call);
      op.degraded = true;
      if (this.#fallback.mark) requestOf(op.parent)?.degraded.add(op.runtime.name);
      report(op, 'fallback.used', this.#failure);
      return success(value);
    } catch (error) {
      if (op.cancelled) return this.#cancelled();
      report(op, 'fallback.failed', this.#failure);
      return failure(this.#explained(error));
    } finally {
      clock.disarm(timer);
      op.unlisten(call);
      call.end();
    }
  }

  #cancelled(): Outcome<never> {
    this.#op.verdict = CANCELLED;
    this.#op.stopped = 'cancelled';
    return failure(this.#op.reason);
  }

  async #race(call: FallbackCall): Promise<unknown> {
    const { method, path, operation } = this.#op.spec;
    const context: FallbackContext = {
      method,
      path,
      operation,
      get signal() {
        return call.signal;
      },
      ...this.#op.runtime.reach(call),
    };
    return new Promise((resolve, reject) => {
      call.listen({ onCancel: reject });
      Promise.resolve()
        .then(() => this.#fallback.run(this.#failure, context))
        .then(resolve, reject);
    });
  }

  #timeUp(): SpillwayError {
    const { name } = this.#op.runtime;
    const message = `The fallback of ${name} did not answer in time`;
    return spillwayError('ERR_DEADLINE_EXCEEDED', message, {
      dependency: name,
      operation: this.#op.spec.operation,
    });
  }

  /** The fallback's own error, with the failure as its cause and the failure's status, for default error handlers. */
  #explained(error: unknown): unknown {
    if (typeof error !== 'object' || error === null || !Object.isExtensible(error)) return error;
    if ((error as { cause?: unknown }).cause === undefined) hidden(error, 'cause', this.#failure);
    if (isSpillwayError(error)) return error;
    const { status, statusCode, headers, expose } = this.#failure;
    for (const [name, value] of Object.entries({ status, statusCode, headers, expose })) {
      if (value !== undefined && (error as Record<string, unknown>)[name] === undefined)
        hidden(error, name, value);
    }
    return error;
  }
}
