import { formatDuration } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const waitOverDeadline: Rule = dependencyRule(
  {
    id: 'SW013',
    severity: 'error',
    title: 'A wait longer than the deadline',
    why: "Every wait is cut by the operation's time left, so one that is longer than the whole deadline never lasts as long as written.",
  },
  (dependency) => {
    const { bulkhead, breaker, deadlineMs } = dependency.options;
    const waits = [
      ['bulkhead.wait', bulkhead?.waitMs ?? 0],
      ['breaker.whenOpen.wait', breaker?.waitMs ?? 0],
    ] as const;
    for (const [option, waitMs] of waits) {
      if (waitMs <= deadlineMs || !standsIdle(dependency, option, 'deadline')) continue;
      return {
        option,
        message: `${option} is ${formatDuration(waitMs)}, but the operation ends after ${formatDuration(deadlineMs)}.`,
        fix: `Set ${option} below ${formatDuration(deadlineMs)}, so that there is time left for the work.`,
        arithmetic: `${formatDuration(waitMs)} > ${formatDuration(deadlineMs)}`,
      };
    }
    return undefined;
  },
);
