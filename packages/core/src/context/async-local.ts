import { AsyncLocalStorage } from 'node:async_hooks';
import type { Call } from '../call/call.js';
import type { ContextCarrier } from './context.js';

/** Carries the current call in an AsyncLocalStorage of its own; never uses `createHook`. */
export function asyncLocal(): ContextCarrier {
  const storage = new AsyncLocalStorage<Call | undefined>();
  return {
    run: (call, work) => storage.run(call, work),
    current: () => storage.getStore(),
    bind: (work) => {
      const call = storage.getStore();
      return (...args) => storage.run(call, work, ...args);
    },
  };
}
