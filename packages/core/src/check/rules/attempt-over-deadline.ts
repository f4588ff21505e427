import { formatDuration } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const attemptOverDeadline: Rule = dependencyRule(
  {
    id: 'SW001',
    severity: 'error',
    title: "An attempt longer than the operation's deadline",
    why: 'The deadline ends the operation first, so the attempt timeout never fires: attempts are cut as if the caller had run out of time, which the breaker may not count as failures.',
  },
  (dependency) => {
    const { attempt, deadlineMs } = dependency.options;
    if (!Number.isFinite(attempt.timeoutMs) || attempt.timeoutMs <= deadlineMs) return undefined;
    if (!standsIdle(dependency, 'attempt.timeout', 'deadline')) return undefined;
    const arithmetic = `${formatDuration(attempt.timeoutMs)} > ${formatDuration(deadlineMs)}`;
    return {
      option: 'attempt.timeout',
      message: `An attempt may take ${formatDuration(attempt.timeoutMs)}, the whole operation ${formatDuration(deadlineMs)}: the attempt timeout can never fire.`,
      fix: `Set attempt.timeout to ${formatDuration(deadlineMs)} or less, or raise the deadline.`,
      arithmetic,
    };
  },
);
