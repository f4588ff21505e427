import { group } from '../../config/durations.js';
import { rateWords } from '../arithmetic.js';
import { dependencyRule, type Rule } from '../rule.js';

export const retryWithoutBudget: Rule = dependencyRule(
  {
    id: 'SW201',
    severity: 'warning',
    title: 'Retries without a budget',
    why: 'While a dependency is down, every operation makes all of its attempts: the load on it is multiplied just when it has to recover. A budget bounds retries as a share of the operations.',
  },
  ({ options, worst, traffic }) => {
    if (worst.attempts < 2 || options.retry?.budget !== undefined) return undefined;
    const retries = worst.attempts - 1;
    const arithmetic =
      traffic.perSecond === undefined
        ? `1 + ${group(retries)} = ${group(worst.attempts)} times the load`
        : rateWords(traffic, worst.attempts, 'attempts');
    return {
      option: 'retry.budget',
      message: `Nothing bounds the retries: while it is down it gets ${arithmetic}.`,
      fix: 'Leave retry.budget out for 20 % of the operations and 1 a second, or give it a ratio.',
      arithmetic,
    };
  },
);
