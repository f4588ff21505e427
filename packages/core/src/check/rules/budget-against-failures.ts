import { group } from '../../config/durations.js';
import { rateWords } from '../arithmetic.js';
import { dependencyRule, type Rule } from '../rule.js';

export const budgetAgainstFailures: Rule = dependencyRule(
  {
    id: 'SW207',
    severity: 'warning',
    title: 'A budget that a normal day uses up',
    why: 'The budget is for the retries of ordinary failures. When these alone exceed it, retries are refused all the time and the budget says nothing about an outage.',
  },
  ({ options, worst, traffic }) => {
    const { failing } = traffic.declared;
    if (failing === undefined || failing === 0 || worst.attempts < 2) return undefined;
    const budget = options.retry?.budget;
    const retries =
      traffic.perSecond === undefined
        ? `${group(failing * 100)} % of the operations`
        : rateWords(traffic, failing, 'retries');
    if (budget === undefined || failing <= budget.ratio) {
      return {
        option: 'retry.budget',
        severity: 'info',
        message: `On a normal day: ${retries}${budget === undefined ? '' : `, of the ${group(budget.ratio * 100)} % that the budget allows`}.`,
        fix: 'Nothing to mend.',
        arithmetic: retries,
      };
    }
    return {
      option: 'retry.budget.ratio',
      message: `On a normal day: ${retries}, but the budget allows ${group(budget.ratio * 100)} %.`,
      fix: `Mend what fails, or raise retry.budget.ratio above ${group(failing)}.`,
      arithmetic: `${retries} > ${group(budget.ratio * 100)} %`,
    };
  },
);
