import { formatDuration, group } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const minCallsAgainstTraffic: Rule = dependencyRule(
  {
    id: 'SW303',
    severity: 'warning',
    title: 'minCalls that the traffic does not reach',
    why: 'Each instance has a breaker of its own and sees its own share of the calls. With fewer than minCalls in the window the rates are never judged.',
  },
  ({ options, traffic }) => {
    const { breaker } = options;
    const { perSecond, instances } = traffic;
    if (breaker === undefined || perSecond === undefined || !('ms' in breaker.window)) return undefined;
    if (breaker.failureRate === undefined && breaker.slow === undefined) return undefined;
    const calls = Math.floor((perSecond / instances) * (breaker.window.ms / 1000));
    if (calls >= breaker.minCalls) return undefined;
    const share = instances === 1 ? '' : ` / ${group(instances)} instances`;
    const arithmetic = `${group(perSecond)}/s${share} x ${formatDuration(breaker.window.ms)} = ${group(calls)} < ${group(breaker.minCalls)}`;
    const left =
      breaker.consecutive === undefined
        ? 'it can hardly open'
        : `only ${group(breaker.consecutive)} failures in a row open it`;
    return {
      option: 'breaker.minCalls',
      message: `The window of one instance holds ${arithmetic} calls: no rate is judged, ${left}.`,
      fix: `Set breaker.minCalls to ${group(Math.max(1, Math.floor(calls / 2)))} or less, or make the window longer.`,
      arithmetic,
    };
  },
);
