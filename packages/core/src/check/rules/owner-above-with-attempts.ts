import { standsIdle } from '../facts.js';
import { dependencyRule, type Rule } from '../rule.js';

export const ownerAboveWithAttempts: Rule = dependencyRule(
  {
    id: 'SW015',
    severity: 'error',
    title: 'Attempts where somebody above retries',
    why: "With retry.owner 'above' nothing is ever retried here, whatever retry.attempts says.",
  },
  (dependency) => {
    const { retry } = dependency.options;
    if (retry?.owner !== 'above' || retry.attempts < 2) return undefined;
    if (!standsIdle(dependency, 'retry.attempts', 'retry.owner')) return undefined;
    return {
      option: 'retry.attempts',
      message: `retry.attempts is ${retry.attempts}, but retry.owner 'above' leaves retrying to the callers of this service.`,
      fix: "Remove retry.attempts, or set retry.owner to 'here'.",
    };
  },
);
