import { dependencyRule, type Rule } from '../rule.js';

export const noDeadline: Rule = dependencyRule(
  {
    id: 'SW102',
    severity: 'warning',
    title: 'No deadline',
    why: 'Outside a request, or in one whose headers are out, nothing then bounds the whole operation: attempts, waits and queueing add up, and callers have long gone.',
  },
  ({ options, worst }) => {
    if (Number.isFinite(options.deadlineMs)) return undefined;
    const finite = Number.isFinite(worst.scheduleMs);
    return {
      option: 'deadline',
      message: finite
        ? `The operation has no deadline of its own: at its worst it takes ${worst.arithmetic}, and its time in the queue.`
        : 'Neither the operation nor an attempt has a bound of its own: one that hangs, hangs for ever.',
      fix: 'Set deadline to what a caller would still wait for.',
      ...(finite ? { arithmetic: worst.arithmetic } : {}),
    };
  },
);
