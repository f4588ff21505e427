import { group } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const floorTimesInstances: Rule = dependencyRule(
  {
    id: 'SW308',
    severity: 'warning',
    title: "A budget's floor multiplied by the instances",
    why: 'minPerSecond lets an instance with little traffic retry at all. Over many instances the floors add up, and may exceed the share that was meant to bound retries.',
  },
  ({ options, traffic, worst }) => {
    const budget = options.retry?.budget;
    const { instances, perSecond } = traffic;
    if (budget === undefined || instances < 2 || budget.minPerSecond === 0 || worst.attempts < 2)
      return undefined;
    const floor = budget.minPerSecond * instances;
    const sum = `${group(budget.minPerSecond)}/s x ${group(instances)} instances = ${group(floor)} retries/s`;
    if (perSecond === undefined || floor <= budget.ratio * perSecond) {
      return {
        option: 'retry.budget.minPerSecond',
        severity: 'info',
        message: `The floors add up: ${sum}.`,
        fix: 'Nothing to mend.',
        arithmetic: sum,
      };
    }
    const share = `${group(budget.ratio * 100)} % x ${group(perSecond)}/s = ${group(budget.ratio * perSecond)}`;
    return {
      option: 'retry.budget.minPerSecond',
      message: `The floors add up to more than the share: ${sum}, ${share}/s.`,
      fix: `Set retry.budget.minPerSecond to ${group((budget.ratio * perSecond) / instances)} or less.`,
      arithmetic: `${sum} > ${share}/s`,
    };
  },
);
