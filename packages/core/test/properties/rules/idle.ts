import type { Rule } from './rule.js';

/** After an idle time of the window, neither breaker nor budget holds anything. */
export const idle: Rule = ({ idle: { dependencies }, options }) => {
  const { breakers = [], budget } = dependencies[0] ?? {};
  const byTime = options.breaker !== undefined && 'ms' in options.breaker.window;
  const breaches = byTime
    ? breakers.filter(({ calls }) => calls > 0).map(({ calls }) => `${calls} calls`)
    : [];
  if (budget && budget.operations + budget.granted > 0)
    breaches.push(`${budget.operations} operations, ${budget.granted} grants`);
  return breaches;
};
