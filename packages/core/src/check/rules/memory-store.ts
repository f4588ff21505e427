import { type Rule, serviceRule } from '../rule.js';

export const memoryStore: Rule = serviceRule(
  {
    id: 'SW601',
    severity: 'warning',
    title: 'A memory store in production',
    why: 'Keys in memory are gone when the process restarts, and unknown to other instances: a retry that reaches one of those is carried out a second time.',
  },
  ({ input }) =>
    input.production !== true
      ? []
      : (input.stores ?? []).flatMap(({ kind }, i) =>
          kind !== 'memory'
            ? []
            : [
                {
                  path: `stores[${i}].kind`,
                  message:
                    'Idempotency keys are kept in memory: a restart or another instance does not know them.',
                  fix: 'Use the sqlite, redis or postgres store in production.',
                },
              ],
        ),
);
