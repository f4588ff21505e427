import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const minCallsUnread: Rule = dependencyRule(
  {
    id: 'SW010',
    severity: 'error',
    title: 'minCalls without a rate',
    why: 'minCalls is what failureRate and the slow rule need before they judge. Failures in a row do not look at it.',
  },
  (dependency) => {
    const { breaker } = dependency.options;
    if (breaker?.consecutive === undefined) return undefined;
    if (breaker.failureRate !== undefined || breaker.slow !== undefined) return undefined;
    if (!standsIdle(dependency, 'breaker.minCalls', 'breaker.failureRate')) return undefined;
    return {
      option: 'breaker.minCalls',
      message: 'minCalls is written, but failureRate is false and there is no slow rule: nothing reads it.',
      fix: 'Remove breaker.minCalls, or give a failureRate or a slow rule.',
    };
  },
);
