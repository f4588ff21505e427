import { formatDuration } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const openOverMax: Rule = dependencyRule(
  {
    id: 'SW007',
    severity: 'error',
    title: 'openFor above maxOpenFor',
    why: 'maxOpenFor bounds every open time, the first one too, so a longer openFor is never waited out.',
  },
  (dependency) => {
    const { breaker } = dependency.options;
    if (breaker === undefined || breaker.openForMs <= breaker.maxOpenForMs) return undefined;
    if (!standsIdle(dependency, 'breaker.openFor', 'breaker.maxOpenFor')) return undefined;
    return {
      option: 'breaker.openFor',
      message: `The breaker opens for ${formatDuration(breaker.openForMs)}, but never for longer than ${formatDuration(breaker.maxOpenForMs)}.`,
      fix: 'Raise breaker.maxOpenFor to breaker.openFor or above; equal means no growth.',
      arithmetic: `${formatDuration(breaker.openForMs)} > ${formatDuration(breaker.maxOpenForMs)}`,
    };
  },
);
