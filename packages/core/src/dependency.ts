import type { Call } from './call/call.js';
import type { Outcome } from './call/outcome.js';
import type { ResolvedConfig, ResolvedDependency } from './config/resolved.js';
import type { Adds } from './config/types.js';
import type { ContextCarrier } from './context/context.js';
import { type BreakerControl, breakerControl } from './pipeline/breaker-control.js';
import type { DependencyRuntime } from './pipeline/dependency-runtime.js';
import { type Description, describe } from './pipeline/describe.js';
import { type InjectedFault, injectFault } from './pipeline/fault-control.js';
import { FunctionOperation, type Work } from './pipeline/function-operation.js';
import type { Linked } from './pipeline/link.js';
import type { CallOptions, Operation } from './pipeline/operation.js';
import { callFunction, runOperation, settleFunction } from './pipeline/run.js';
import type { PlacedPolicy } from './pipeline/slots.js';
import type { Fault } from './policies/fault-options.js';

/** What `dependency(name)` shares between its handles: the live state and its linked policy. */
export interface LiveDependency {
  readonly runtime: DependencyRuntime;
  readonly linked: Linked;
  readonly custom: readonly PlacedPolicy[];
  /** Made for the first who asks. */
  breaker: BreakerControl | undefined;
  /** Where faults may be injected. */
  readonly faults: ResolvedConfig['faults'];
  /** The ambient context, where the application opted into one. */
  readonly context: ContextCarrier | undefined;
}

/**
 * A dependency guarded by its policy. `A` is what its configured fallback may answer.
 * Handles are cheap: those with a `parent` inherit its deadline and cancellation.
 */
export class Dependency<A = never> {
  readonly #live: LiveDependency;
  readonly #parent: Call | undefined;

  constructor(live: LiveDependency, parent: Call | undefined) {
    this.#live = live;
    this.#parent = parent;
  }

  get name(): string {
    return this.#live.runtime.name;
  }

  /** Its resolved options, every duration in ms. */
  get options(): ResolvedDependency {
    return this.#live.runtime.options;
  }

  /** Controls and state of its breaker; `breaker(key)` names one of a scoped set. */
  get breaker(): BreakerControl {
    return controlOf(this.#live);
  }

  /**
   * Guards a function: a query, a gRPC stub, an SDK, a fetch. Retries need `idempotent: true` or a key.
   * @throws SpillwayError ERR_UPSTREAM with the last error as `cause` (`unwrap: true`: that cause itself), or one of
   * our refusals; a user's signal rejects with its own reason; programmer errors pass untouched.
   */
  call<T, B = A>(work: Work<T>, options: CallOptions<B> = NONE): Promise<T | A | B> {
    // values come from the work itself (T) or a fallback (A, B)
    return callFunction(this.#live.runtime, this.#live.linked, this.#operation(work, options)) as Promise<
      T | A | B
    >;
  }

  /**
   * As `call`, but never throws: the outcome is a value. The `stack` of a refusal that is one is undefined: an eighth of
   * what a refusal costs, for a text that only those who throw errors read.
   */
  settle<T, B = A>(work: Work<T>, options: CallOptions<B> = NONE): Promise<Outcome<T | A | B>> {
    return settleFunction(this.#live.runtime, this.#live.linked, this.#operation(work, options)) as Promise<
      Outcome<T | A | B>
    >;
  }

  /** Runs an operation of a transport. Never rejects. For transports; functions go through `call`. */
  run<T, B = A>(operation: Operation<T>): Promise<Outcome<T | A | B>> {
    // an operation is only ever handed values of its own work
    return runOperation(this.#live.runtime, this.#live.linked, operation as Operation<unknown>) as Promise<
      Outcome<T | A | B>
    >;
  }

  /**
   * Makes attempts suffer a fault as if the dependency caused it: to see what breaker, retries and fallback make of
   * it. Seen in events (`fault.injected`) and `snapshot()`; gone when its time is over, it is undone, or on `reset()`
   * and `close()`.
   * @example const outage = spillway.dependency('quotes').inject({ status: 503, share: 0.5, until: '2m' });
   * @throws SpillwayError ERR_CONFIG for a fault that makes no sense, and in production (NODE_ENV) unless the option
   * `faults` is 'always'; ERR_CLOSED after close()
   */
  inject(fault: Fault): InjectedFault {
    return injectFault(this.#live.runtime, this.#live.faults, fault);
  }

  /** The layers of its policy, from the outside in, with their numbers. */
  describe(): Description {
    return describe(this.options, this.#live.custom);
  }

  #operation(work: Work<unknown>, options: CallOptions<unknown>): FunctionOperation<unknown> {
    return new FunctionOperation(work, this.#inherit(options), this.#live.runtime.clock);
  }

  #inherit(options: CallOptions<unknown>): CallOptions<unknown> {
    if (options.parent !== undefined) return options;
    const parent = this.#parent ?? this.#live.context?.current();
    return parent === undefined ? options : { ...options, parent };
  }
}

/** The controls of its breakers. */
export function controlOf(live: LiveDependency): BreakerControl {
  const { name, breakers, clock } = live.runtime;
  live.breaker ??= breakerControl(name, breakers, clock);
  return live.breaker;
}

const NONE: CallOptions<never> = Object.freeze({});

/** A dependency as `spillway.dependency(name)` types it. */
export type DependencyOf<F, N extends keyof F> = Dependency<Adds<F[N]>>;
