import asyncHooks from 'node:async_hooks';

let created = 0;
const { createHook } = asyncHooks;

// from here on, for the life of the process: what this package's index loads after this file is counted too
asyncHooks.createHook = (callbacks) => {
  created++;
  return createHook(callbacks);
};

/** How many async hooks have been created since the suite was loaded. */
export function createdHooks(): number {
  return created;
}

/** Creates one: the count counts. */
export function createHookToCount(): void {
  asyncHooks.createHook({});
}
