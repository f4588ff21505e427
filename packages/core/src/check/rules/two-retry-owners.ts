import { group } from '../../config/durations.js';
import { dependencyRule, type Rule } from '../rule.js';

export const twoRetryOwners: Rule = dependencyRule(
  {
    id: 'SW205',
    severity: 'warning',
    title: 'Two owners of retries',
    why: 'A mesh or proxy that retries beneath the application multiplies its attempts, ends them out of its sight, and knows neither its deadline nor its budget.',
  },
  ({ worst, traffic }) => {
    const { meshAttempts } = traffic;
    if (meshAttempts < 2 || worst.attempts < 2) return undefined;
    const arithmetic = `app ${group(worst.attempts)} x mesh ${group(meshAttempts)} = ${group(worst.attempts * meshAttempts)}`;
    return {
      option: 'retry.attempts',
      message: `Two layers retry the same call: ${arithmetic} attempts.`,
      fix: 'Turn the retries of the mesh off for this route, or set retry to false here.',
      arithmetic,
    };
  },
);
