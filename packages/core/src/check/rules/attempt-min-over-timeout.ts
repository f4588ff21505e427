import { formatDuration } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const attemptMinOverTimeout: Rule = dependencyRule(
  {
    id: 'SW004',
    severity: 'error',
    title: 'attempt.min above attempt.timeout',
    why: 'attempt.min is the time below which an attempt is not worth starting. Above the timeout it asks for more time than any attempt may use.',
  },
  (dependency) => {
    const { minMs, timeoutMs } = dependency.options.attempt;
    if (minMs <= timeoutMs || !standsIdle(dependency, 'attempt.min', 'attempt.timeout')) return undefined;
    return {
      option: 'attempt.min',
      message: `A retry asks for ${formatDuration(minMs)}, but an attempt may take ${formatDuration(timeoutMs)} at most.`,
      fix: `Set attempt.min to ${formatDuration(timeoutMs)} or less; what a fast healthy attempt takes is a good value.`,
      arithmetic: `${formatDuration(minMs)} > ${formatDuration(timeoutMs)}`,
    };
  },
);
