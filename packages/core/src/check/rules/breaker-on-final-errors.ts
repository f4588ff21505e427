import { group } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const breakerOnFinalErrors: Rule = dependencyRule(
  {
    id: 'SW301',
    severity: 'warning',
    title: 'A breaker on final errors only',
    why: 'A breaker around the whole retry loop sees one failure where the dependency saw all attempts of it: it opens several times later, and attempts go on inside operations that have been admitted.',
  },
  ({ options, worst }) => {
    const { breaker } = options;
    if (breaker?.observes !== 'operations' || worst.attempts < 2) return undefined;
    const failures = breaker.consecutive ?? breaker.minCalls;
    const arithmetic = `${group(failures)} operations x ${group(worst.attempts)} attempts = ${group(failures * worst.attempts)}`;
    return {
      option: 'breaker.observes',
      message: `The breaker sees final results alone: it opens after ${arithmetic} failed attempts.`,
      fix: "Leave breaker.observes out for 'attempts', or set it to 'both'.",
      arithmetic,
    };
  },
);
