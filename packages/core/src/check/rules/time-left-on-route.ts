import { DEFAULTS } from '../../config/defaults.js';
import { group } from '../../config/durations.js';
import type { ResolvedConfig } from '../../config/resolved.js';
import { dependencyRule, type Rule } from '../rule.js';

export const timeLeftOnRoute: Rule = dependencyRule(
  {
    id: 'SW107',
    severity: 'warning',
    title: 'The time a route has left for a dependency',
    why: 'What a request has spent before the call, and the margin for its answer, come off its budget. The schedule of the dependency has to fit into the rest.',
  },
  ({ options, worst, traffic }, { resolved }) => {
    const { spentMs } = traffic;
    if (spentMs === undefined || !Number.isFinite(worst.scheduleMs)) return undefined;
    const { budget, margin } = budgetOf(resolved);
    const left = budget - spentMs - margin;
    const rest = left - worst.scheduleMs;
    const given = `${group(budget)} - ${group(spentMs)} - ${group(margin)} = ${group(left)}`;
    if (rest >= 0) {
      const arithmetic = `${given}; ${worst.arithmetic}; ${group(rest)} left`;
      return {
        option: 'retry.attempts',
        severity: 'info',
        message: `Of a request's ${group(budget)} ms the calls to ${options.name} leave ${group(rest)}: ${arithmetic}.`,
        fix: 'Nothing to mend.',
        arithmetic,
      };
    }
    const arithmetic = `${given}; ${worst.arithmetic}; ${group(-rest)} too much`;
    return {
      option: 'retry.attempts',
      message: `A request's time does not fit the schedule of ${options.name}: ${arithmetic}.`,
      fix: 'Make attempts shorter or fewer, spend less before, or give requests more time.',
      arithmetic,
    };
  },
);

/** Of a request that brings no deadline. */
function budgetOf({ inbound }: ResolvedConfig): { budget: number; margin: number } {
  const { defaultMs, marginMs } = inbound.deadline;
  return { budget: defaultMs, margin: Math.min(marginMs, DEFAULTS.inbound.marginShare * defaultMs) };
}
