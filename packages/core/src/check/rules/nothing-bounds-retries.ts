import { group } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const nothingBoundsRetries: Rule = dependencyRule(
  {
    id: 'SW208',
    severity: 'warning',
    title: 'Neither budget nor breaker',
    why: 'A breaker stops calling what is down, a budget bounds what is repeated. With neither, an outage gets the full schedule of every operation for as long as it lasts.',
  },
  ({ options, worst }) => {
    if (worst.attempts < 2 || options.retry?.budget !== undefined || options.breaker !== undefined)
      return undefined;
    return {
      option: 'breaker',
      message: `Neither a budget nor a breaker: every operation of an outage makes ${group(worst.attempts)} attempts, however long it lasts.`,
      fix: 'Turn one of them on: the defaults of both fit most dependencies.',
    };
  },
);
