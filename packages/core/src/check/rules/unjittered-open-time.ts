import { formatDuration, group } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const unjitteredOpenTime: Rule = dependencyRule(
  {
    id: 'SW305',
    severity: 'warning',
    title: 'An open time without jitter',
    why: 'The breakers of all instances open together when a dependency goes down. Without jitter they probe it together too, and close on it together.',
  },
  ({ options, traffic }) => {
    const { breaker } = options;
    if (breaker === undefined || breaker.jitter > 0) return undefined;
    const { instances } = traffic;
    const probes = breaker.probes.count * instances;
    const all = instances === 1 ? 'All instances' : `${group(instances)} instances`;
    const arithmetic = `${group(instances)} x ${group(breaker.probes.count)} = ${group(probes)} probes`;
    return {
      option: 'breaker.jitter',
      message: `${all} probe at the same instant, ${formatDuration(breaker.openForMs)} after they opened${instances === 1 ? '' : `: ${arithmetic}`}.`,
      fix: 'Leave breaker.jitter out for 0.2.',
      ...(instances === 1 ? {} : { arithmetic }),
    };
  },
);
