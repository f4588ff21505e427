import { group } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const retryWithoutJitter: Rule = dependencyRule(
  {
    id: 'SW203',
    severity: 'warning',
    title: 'Retries without jitter',
    why: 'Calls that fail together are then retried together, in waves that keep hitting a dependency that is trying to recover. Jitter spreads them.',
  },
  ({ options, worst, traffic }) => {
    const backoff = options.retry?.backoff;
    if (backoff === undefined || typeof backoff === 'function' || worst.attempts < 2) return undefined;
    if (backoff.jitter !== 'none') return undefined;
    const { instances } = traffic;
    return {
      option: 'retry.backoff.jitter',
      message: `Calls that fail together are retried together${instances > 1 ? `, on all ${group(instances)} instances` : ''}.`,
      fix: "Leave retry.backoff.jitter out for 'full', or set it to 'equal'.",
    };
  },
);
