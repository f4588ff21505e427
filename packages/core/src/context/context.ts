import type { Call } from '../call/call.js';

/**
 * Where the call of the current request is found when nobody passes it on. Opt-in: without a carrier the request,
 * ctx or call object carries it. Carriers: `asyncLocal()` of `@spillway/core/async-local`, `clsHooked(namespace)` of
 * `@spillway/core/cls-hooked`.
 */
export interface ContextCarrier {
  /** Runs `work` with `call` as the current one. */
  run<T>(call: Call, work: () => T): T;
  /** The call of the request whose code runs now. */
  current(): Call | undefined;
  /** `work`, to be run where this is called: it finds the present call as the current one, whoever calls it. */
  bind<A extends unknown[], T>(work: (...args: A) => T): (...args: A) => T;
}
