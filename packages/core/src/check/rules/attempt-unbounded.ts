import { formatDuration } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const attemptUnbounded: Rule = dependencyRule(
  {
    id: 'SW103',
    severity: 'warning',
    title: 'An attempt without a timeout',
    why: 'A first attempt that hangs then uses up the whole deadline, so that nothing is left for a second one, and the breaker cannot tell a hung dependency from an impatient caller.',
  },
  ({ options, worst }) => {
    if (Number.isFinite(options.attempt.timeoutMs)) return undefined;
    return {
      option: 'attempt.timeout',
      severity: worst.attempts > 1 ? 'warning' : 'info',
      message: `An attempt may take all of the deadline (${formatDuration(options.deadlineMs)}): one that hangs leaves nothing for a retry.`,
      fix: 'Set attempt.timeout: the p99 of healthy attempts x 1.5 is a good value.',
    };
  },
);
