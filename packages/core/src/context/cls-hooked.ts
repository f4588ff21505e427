import type { Call } from '../call/call.js';
import type { ContextCarrier } from './context.js';

/** What we use of a namespace of cls-hooked. */
export interface ClsNamespace {
  get(key: string): unknown;
  set<T>(key: string, value: T): T;
  runAndReturn<T>(work: (...args: unknown[]) => T): T;
  bind<W extends (...args: never[]) => unknown>(work: W): W;
  readonly active: unknown;
}

const KEY = 'spillway.call';

/** Carries the current call in a namespace of cls-hooked that the application has already. */
export function clsHooked(namespace: ClsNamespace): ContextCarrier {
  return {
    run: (call, work) =>
      namespace.runAndReturn(() => {
        namespace.set(KEY, call);
        return work();
      }),
    bind: (work) => namespace.bind(work),
    // reading outside a context of the namespace gives undefined; only this file writes the key
    current: () => (namespace.active ? (namespace.get(KEY) as Call | undefined) : undefined),
  };
}
