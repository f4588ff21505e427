import { formatDuration, group } from '../../config/durations.js';
import { isWritten } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const deadlineOverInbound: Rule = dependencyRule(
  {
    id: 'SW106',
    severity: 'info',
    title: 'A deadline longer than any request',
    why: 'Inside a request the operation ends when the request does. A longer deadline counts for work outside of requests alone.',
  },
  (dependency, { resolved }) => {
    const { maxMs, marginMs } = resolved.inbound.deadline;
    const { deadlineMs } = dependency.options;
    if (!Number.isFinite(deadlineMs) || deadlineMs <= maxMs - marginMs) return undefined;
    if (!isWritten(dependency, 'deadline')) return undefined;
    const arithmetic = `${group(maxMs)} - ${group(marginMs)} = ${group(maxMs - marginMs)} ms < ${group(deadlineMs)} ms`;
    return {
      option: 'deadline',
      message: `The deadline is ${formatDuration(deadlineMs)}, but work for a request ends after ${formatDuration(maxMs - marginMs)} (${arithmetic}).`,
      fix: 'Lower the deadline, or raise inbound.deadline.max, unless it is meant for work outside of requests.',
      arithmetic,
    };
  },
);
