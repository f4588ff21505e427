import { group } from '../../config/durations.js';
import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const minCallsOverWindow: Rule = dependencyRule(
  {
    id: 'SW002',
    severity: 'error',
    title: 'minCalls above a count window',
    why: 'A window of the last n calls never holds more than n, so a rate that needs more calls than that is never judged as asked for.',
  },
  (dependency) => {
    const { breaker } = dependency.options;
    if (breaker === undefined || !('calls' in breaker.window)) return undefined;
    const { calls } = breaker.window;
    if (breaker.minCalls <= calls || !standsIdle(dependency, 'breaker.minCalls', 'breaker.window'))
      return undefined;
    return {
      option: 'breaker.minCalls',
      message: `Rates are judged from ${group(breaker.minCalls)} calls, but the window never holds more than ${group(calls)}.`,
      fix: `Set breaker.minCalls to ${group(calls)} or less, or the window to { calls: ${breaker.minCalls} } or more.`,
      arithmetic: `${group(breaker.minCalls)} > ${group(calls)}`,
    };
  },
);
