import { formatDuration } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';
import { suggestedTimeout } from './timeout-against-p99.js';

export const noSlowRule: Rule = dependencyRule(
  {
    id: 'SW302',
    severity: 'warning',
    title: 'No slow rule',
    why: 'A dependency that has become ten times slower still answers, so no failure is counted, while its callers pile up. Where p99 is known, slow can be told from normal.',
  },
  ({ options, traffic }) => {
    const { breaker } = options;
    if (breaker === undefined || breaker.slow !== undefined || traffic.p99Ms === undefined) return undefined;
    const over = suggestedTimeout(traffic.p99Ms);
    const room = over < options.attempt.timeoutMs;
    return {
      option: 'breaker.slow',
      message: `p99 is ${formatDuration(traffic.p99Ms)}, but the breaker does not look at how long calls take.`,
      fix: `Set breaker.slow to { over: '${room ? over : traffic.p99Ms}ms', rate: 0.5 }${room ? '' : ', below attempt.timeout'}.`,
    };
  },
);
