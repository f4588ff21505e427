import { IN_DEPENDENCY } from '../../config/merge.js';
import { dependencyRule, type Rule } from '../rule.js';

export const clientOptionsWithoutUrl: Rule = dependencyRule(
  {
    id: 'SW108',
    severity: 'warning',
    title: 'Options of the HTTP client without a base URL',
    why: 'attempt.connect and client are read by the HTTP client, and a dependency without baseUrl has none: `.call()` runs functions.',
  },
  ({ written, options }) => {
    if (options.baseUrl !== undefined) return undefined;
    const option = ['attempt.connect', 'client'].find((name) => written.level(name) === IN_DEPENDENCY);
    if (option === undefined) return undefined;
    return {
      option,
      message: `${option} is for the HTTP client, but this dependency has no baseUrl and so no client.`,
      fix: `Give baseUrl, or remove ${option}.`,
    };
  },
);
