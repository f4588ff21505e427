import { dependencyRule, type Rule } from '../rule.js';

export const ownerIgnored: Rule = dependencyRule(
  {
    id: 'SW206',
    severity: 'info',
    title: 'Retries although a layer below has retried',
    why: "X-Should-Retry: false tells that a layer nearer to the failure has retried already. With retry.owner 'ignore' its attempts are multiplied by the ones made here.",
  },
  ({ options, worst }) => {
    if (options.retry?.owner !== 'ignore' || worst.attempts < 2) return undefined;
    return {
      option: 'retry.owner',
      message: `Every attempt of a layer below is made up to ${worst.attempts} times.`,
      fix: "Leave retry.owner out, so that the layer nearest to the failure retries ('here').",
    };
  },
);
