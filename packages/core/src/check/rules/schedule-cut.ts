import { formatDuration, group } from '../../config/durations.js';
import { isWritten } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';
import { longestWaits, sum } from '../worst-case.js';

export const scheduleCut: Rule = dependencyRule(
  {
    id: 'SW101',
    severity: 'warning',
    title: 'A schedule cut by the deadline',
    why: 'When every attempt runs into its timeout, the deadline ends the operation before all attempts were made. The retries that were meant for a dependency that hangs never run; those for one that fails fast do.',
  },
  (dependency) => {
    const { options, worst } = dependency;
    const { deadlineMs } = options;
    if (worst.attempts < 2 || !Number.isFinite(worst.scheduleMs) || worst.scheduleMs <= deadlineMs)
      return undefined;
    const written =
      isWritten(dependency, 'retry.attempts') &&
      (isWritten(dependency, 'deadline') || isWritten(dependency, 'attempt.timeout'));
    const fitting = Math.floor((deadlineMs - sum(longestWaits(options))) / worst.attempts);
    const shorter = fitting > 0 ? `Set attempt.timeout to ${formatDuration(fitting)} or less, ` : '';
    const arithmetic = `${worst.arithmetic} against ${group(deadlineMs)}`;
    return {
      option: 'retry.attempts',
      severity: written ? 'warning' : 'info',
      message: `At their timeouts the attempts take ${arithmetic} ms: ${worst.fullAttempts} of ${worst.attempts} fit in full.`,
      fix: `${shorter}${shorter === '' ? 'Make' : 'make'} fewer attempts, or raise the deadline to ${formatDuration(worst.scheduleMs)}.`,
      arithmetic,
    };
  },
);
