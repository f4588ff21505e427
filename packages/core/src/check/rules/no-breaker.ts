import { dependencyRule, type Rule } from '../rule.js';

export const noBreaker: Rule = dependencyRule(
  {
    id: 'SW306',
    severity: 'info',
    title: 'No breaker',
    why: 'Without a breaker every call to a dependency that is down waits for its failure, and reaches it.',
  },
  ({ options }) =>
    options.breaker !== undefined
      ? undefined
      : {
          option: 'breaker',
          message: 'Calls go on while the dependency is down: each waits for its own failure.',
          fix: 'Leave breaker out of the options for the default one, unless this is meant.',
        },
);
