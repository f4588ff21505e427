import { graphCycles } from '../paths.js';
import { type Rule, serviceRule } from '../rule.js';

export const graphCycle: Rule = serviceRule(
  {
    id: 'SW502',
    severity: 'warning',
    title: 'A circle in the call graph',
    why: 'Services that call each other in a circle wait for each other under load, and retries go round.',
  },
  ({ input }) =>
    graphCycles(input.graph).map((services) => ({
      path: services.join(' -> '),
      message: `${services[0]} calls itself through others.`,
      fix: 'Break the circle, or make sure that no single request can go round.',
    })),
);
