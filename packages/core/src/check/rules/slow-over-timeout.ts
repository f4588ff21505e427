import { formatDuration } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const slowOverTimeout: Rule = dependencyRule(
  {
    id: 'SW006',
    severity: 'error',
    title: 'A slow rule at or above what ends the call',
    why: 'A call is slow when it took longer than slow.over. When a timeout ends every call by then, no call is ever slow without being a failure already.',
  },
  (dependency) => {
    const { breaker, attempt, deadlineMs } = dependency.options;
    if (breaker?.slow === undefined) return undefined;
    const ofAttempts = breaker.observes === 'attempts';
    const bound = ofAttempts ? Math.min(attempt.timeoutMs, deadlineMs) : deadlineMs;
    const by = ofAttempts && attempt.timeoutMs <= deadlineMs ? 'attempt.timeout' : 'deadline';
    const { overMs } = breaker.slow;
    if (overMs < bound || !standsIdle(dependency, 'breaker.slow.over', by)) return undefined;
    return {
      option: 'breaker.slow.over',
      message: `A call is slow above ${formatDuration(overMs)}, but ${by} ends every call at ${formatDuration(bound)}.`,
      fix: `Set breaker.slow.over below ${formatDuration(bound)}, or raise ${by}.`,
      arithmetic: `${formatDuration(overMs)} >= ${formatDuration(bound)}`,
    };
  },
);
