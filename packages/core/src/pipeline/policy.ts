import type { Call } from '../call/call.js';
import { isSpillwayError, type SpillwayError } from '../call/errors.js';
import { failure, type Outcome } from '../call/outcome.js';
import type { FanOut } from '../telemetry/fan-out.js';
import type { Clock } from '../time/clock.js';
import type { Random } from '../time/random.js';

/** One step of a call. Never rejects, never throws. */
export type Step<T> = (call: Call) => Promise<Outcome<T>>;

/** What a policy does to a step. `Adds` is what it may hand the caller besides T. */
export type Layer<Adds = never> = <T>(next: Step<T>) => Step<T | Adds>;

/** What a policy may use once it is bound. */
export interface PolicyRuntime {
  readonly clock: Clock;
  readonly random: Random;
  readonly emit: FanOut;
}

/** An immutable description; `bind` makes its live state, once per dependency. */
export interface Policy<Adds = never> {
  readonly kind: string;
  /** Printable: config, dashboard and simulator show it. */
  readonly options: object;
  bind(runtime: PolicyRuntime): Layer<Adds>;
}

/**
 * Defines a policy that wraps a step.
 * @example
 * const stopwatch = definePolicy<{ over: number }>('stopwatch', (options, { clock }) => (next) => async (call) => {
 *   const start = clock.now();
 *   const outcome = await next(call);
 *   if (clock.now() - start > options.over) report(call);
 *   return outcome;
 * });
 */
export function definePolicy<O extends object, Adds = never>(
  kind: string,
  make: (options: O, runtime: PolicyRuntime) => Layer<Adds>,
): (options: O) => Policy<Adds> {
  return (options) => {
    const frozen = Object.freeze({ ...options });
    return { kind, options: frozen, bind: (runtime) => make(frozen, runtime) };
  };
}

/** Lets a call in: returns what to do when it leaves, or the refusal. Called once per call; may take its time. */
export interface Gate {
  enter(call: Call): GatePass | Promise<GatePass>;
}

/** `leave` is called exactly once, with how the step ended. */
export type GatePass = SpillwayError | ((outcome: Outcome<unknown>) => void);

/** Defines a policy that admits and settles, exactly once, whatever happens in between. */
export function defineGate<O extends object>(
  kind: string,
  make: (options: O, runtime: PolicyRuntime) => Gate,
): (options: O) => Policy {
  return definePolicy<O>(kind, (options, runtime) => {
    const gate = make(options, runtime);
    return (next) => async (call) => {
      const pass = await enter(gate, call);
      if (typeof pass !== 'function') return failure(pass);
      const outcome = await next(call);
      pass(outcome);
      return outcome;
    };
  });
}

async function enter(gate: Gate, call: Call): Promise<GatePass | unknown> {
  try {
    const pass = await gate.enter(call);
    if (typeof pass === 'function' || isSpillwayError(pass)) return pass;
    return new TypeError(`A gate answers with a leave function or a SpillwayError, not ${String(pass)}`);
  } catch (error) {
    return error;
  }
}
