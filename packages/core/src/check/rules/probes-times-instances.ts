import { group } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const probesTimesInstances: Rule = dependencyRule(
  {
    id: 'SW307',
    severity: 'warning',
    title: 'Probes multiplied by the instances',
    why: 'Each instance probes for itself. Together they may give a dependency that has just come back more than its ordinary traffic.',
  },
  ({ options, traffic }) => {
    const { breaker } = options;
    const { instances, perSecond } = traffic;
    if (breaker === undefined || instances < 2) return undefined;
    const { count } = breaker.probes;
    const probes = count * instances;
    const arithmetic = `${group(count)} x ${group(instances)} instances = ${group(probes)} probes`;
    const many = perSecond !== undefined && probes > perSecond;
    return {
      option: 'breaker.probes',
      severity: many ? 'warning' : 'info',
      message: many
        ? `A dependency that comes back gets ${arithmetic} at about the same time, more than a second of its traffic (${group(perSecond)}).`
        : `A dependency that comes back gets ${arithmetic}.`,
      fix: many ? 'Set breaker.probes to 1.' : 'Nothing to mend.',
      arithmetic,
    };
  },
);
