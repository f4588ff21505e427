import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const keysWithoutScope: Rule = dependencyRule(
  {
    id: 'SW014',
    severity: 'error',
    title: 'maxKeys of what has no keys',
    why: 'maxKeys bounds how many breakers, or tenants of a budget, are remembered. Without a scope, or a key, there is exactly one.',
  },
  (dependency) => {
    const { breaker, retry } = dependency.options;
    if (breaker?.scope === 'dependency' && standsIdle(dependency, 'breaker.maxKeys', 'breaker.scope')) {
      return {
        option: 'breaker.maxKeys',
        message: "breaker.maxKeys is written, but the scope is 'dependency': there is one breaker.",
        fix: "Remove breaker.maxKeys, or set breaker.scope to 'origin', 'endpoint' or a function.",
      };
    }
    if (retry?.budget?.key === false && standsIdle(dependency, 'retry.budget.maxKeys', 'retry.budget.key')) {
      return {
        option: 'retry.budget.maxKeys',
        message: 'retry.budget.maxKeys is written, but the budget has no key: nobody shares it by tenant.',
        fix: 'Remove retry.budget.maxKeys, or set retry.budget.key.',
      };
    }
    return undefined;
  },
);
