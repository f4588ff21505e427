import { type Rule, serviceRule } from '../rule.js';

export const noMargin: Rule = serviceRule(
  {
    id: 'SW105',
    severity: 'warning',
    title: 'No margin',
    why: "Work ends a margin before the request must be answered. Without one a fallback starts when its time is already up, and the caller's own timeout wins the race.",
  },
  ({ resolved, dependencies }) => {
    if (resolved.inbound.deadline.marginMs > 0) return [];
    const withFallback = dependencies.filter(({ options }) => options.fallback !== undefined);
    const names = withFallback.map(({ name }) => name).join(', ');
    return [
      {
        path: 'inbound.deadline.margin',
        severity: withFallback.length > 0 ? 'warning' : 'info',
        message:
          withFallback.length > 0
            ? `The margin is 0: the fallbacks of ${names} have no time left when the work runs into its deadline.`
            : 'The margin is 0: an answer that is made at the deadline arrives after it.',
        fix: 'Set inbound.deadline.margin to what a fallback and the way back take; 20 ms is the default.',
      },
    ];
  },
);
