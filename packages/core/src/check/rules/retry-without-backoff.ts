import { dependencyRule, type Rule } from '../rule.js';

export const retryWithoutBackoff: Rule = dependencyRule(
  {
    id: 'SW202',
    severity: 'warning',
    title: 'Retries without backoff',
    why: 'A retry at once meets the same overload, restart or failover that failed the attempt before, and adds to it.',
  },
  ({ options, worst }) => {
    const backoff = options.retry?.backoff;
    if (backoff === undefined || typeof backoff === 'function' || worst.attempts < 2) return undefined;
    if (Math.min(backoff.baseMs, backoff.capMs) > 0) return undefined;
    const option = backoff.baseMs === 0 ? 'retry.backoff.base' : 'retry.backoff.cap';
    return {
      option,
      message: `${option} is 0: all ${worst.attempts} attempts follow each other at once.`,
      fix: 'Leave retry.backoff out for 100 ms, doubling, with full jitter.',
    };
  },
);
