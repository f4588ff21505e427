import { group } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';
import { attemptsOf } from '../worst-case.js';

export const budgetGrantsNothing: Rule = dependencyRule(
  {
    id: 'SW011',
    severity: 'error',
    title: 'A budget that never grants a retry',
    why: 'Retries granted in the window stay within ratio x operations + minPerSecond x window, and those running below max(min, ratio x operations in flight). When either is below one for any traffic, no retry ever runs.',
  },
  (dependency) => {
    const { options } = dependency;
    const budget = options.retry?.budget;
    if (budget === undefined || budget.mode === 'observe' || attemptsOf(options) < 2) return undefined;
    const floor = (budget.minPerSecond * budget.windowMs) / 1000;
    if (budget.ratio === 0 && floor < 1 && standsIdle(dependency, 'retry.budget.ratio', 'retry.attempts')) {
      const arithmetic = `0 x operations + ${group(budget.minPerSecond)}/s x ${group(budget.windowMs / 1000)} s = ${group(floor)} retries`;
      return {
        option: 'retry.budget.ratio',
        message: `The budget never grants a retry: ${arithmetic}.`,
        fix: 'Raise retry.budget.ratio or minPerSecond, or set retry to false.',
        arithmetic,
      };
    }
    const { concurrent } = budget;
    if (concurrent === undefined || concurrent.min > 0 || concurrent.ratio > 0) return undefined;
    return {
      option: 'retry.budget.concurrent',
      message: 'No retry may ever run: scheduled and running retries stay below max(0, 0 x operations) = 0.',
      fix: 'Raise retry.budget.concurrent.min or ratio, or set concurrent to false.',
      arithmetic: 'max(0, 0 x operations) = 0',
    };
  },
);
