import { dependencyRule, type Rule } from '../rule.js';

export const breakerNeverOpens: Rule = dependencyRule(
  {
    id: 'SW009',
    severity: 'error',
    title: 'A breaker without a rule',
    why: 'A breaker opens by its failure rate, by failures in a row or by its slow rule. With all three off it only costs.',
  },
  ({ options: { breaker } }) => {
    if (breaker === undefined) return undefined;
    const { failureRate, consecutive, slow } = breaker;
    if (failureRate !== undefined || consecutive !== undefined || slow !== undefined) return undefined;
    return {
      option: 'breaker',
      message: 'The breaker has no failureRate, no consecutive and no slow rule: it can never open.',
      fix: 'Give it one of them, or set breaker to false.',
    };
  },
);
