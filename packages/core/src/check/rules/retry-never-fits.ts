import { formatDuration, group } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';
import { attemptsOf, shortestWait } from '../worst-case.js';

export const retryNeverFits: Rule = dependencyRule(
  {
    id: 'SW003',
    severity: 'error',
    title: 'A retry of which not even the second attempt fits',
    why: 'A retry is scheduled only when its wait and attempt.min fit into the time left. When they exceed the whole deadline, even a first attempt that fails at once is never repeated.',
  },
  (dependency) => {
    const { options } = dependency;
    if (attemptsOf(options) < 2 || !standsIdle(dependency, 'retry.attempts', 'deadline')) return undefined;
    const wait = shortestWait(options);
    const needed = wait + options.attempt.minMs;
    if (needed <= options.deadlineMs) return undefined;
    const arithmetic = `${group(wait)} + ${group(options.attempt.minMs)} = ${group(needed)} ms > ${group(options.deadlineMs)} ms`;
    return {
      option: 'retry.attempts',
      message: `The second attempt never fits: the shortest wait of ${formatDuration(wait)} and attempt.min of ${formatDuration(options.attempt.minMs)} exceed the deadline of ${formatDuration(options.deadlineMs)} (${arithmetic}).`,
      fix: 'Shorten retry.backoff.base or attempt.min, raise the deadline, or set retry to false.',
      arithmetic,
    };
  },
);
