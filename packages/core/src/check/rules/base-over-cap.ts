import { formatDuration } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const baseOverCap: Rule = dependencyRule(
  {
    id: 'SW008',
    severity: 'error',
    title: 'backoff.base above backoff.cap',
    why: 'The cap bounds every wait, the first one too, so a longer base is never waited and the backoff never grows.',
  },
  (dependency) => {
    const backoff = dependency.options.retry?.backoff;
    if (backoff === undefined || typeof backoff === 'function' || backoff.baseMs <= backoff.capMs)
      return undefined;
    if (!standsIdle(dependency, 'retry.backoff.base', 'retry.backoff.cap')) return undefined;
    return {
      option: 'retry.backoff.base',
      message: `The first wait is ${formatDuration(backoff.baseMs)}, but no wait is longer than ${formatDuration(backoff.capMs)}.`,
      fix: 'Lower retry.backoff.base or raise retry.backoff.cap.',
      arithmetic: `${formatDuration(backoff.baseMs)} > ${formatDuration(backoff.capMs)}`,
    };
  },
);
