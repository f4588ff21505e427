import { group } from '../../config/durations.js';
import { graphPaths } from '../paths.js';
import { type Rule, serviceRule } from '../rule.js';

export const graphMultiplies: Rule = serviceRule(
  {
    id: 'SW501',
    severity: 'warning',
    title: 'Retries multiplied along the call graph',
    why: 'When several layers retry, the last dependency gets the product of their attempts. One layer should own the retries, the one nearest to the failure; Spillway tells the layers above by X-Should-Retry: false.',
  },
  (facts) =>
    graphPaths(facts).flatMap((path) => {
      const most = Math.max(
        ...path.hops.map(({ attempts, meshAttempts }) => Math.max(attempts, meshAttempts)),
      );
      if (path.product <= most) return [];
      const multiplied = path.attempts > most;
      const last = path.services.at(-1) ?? '';
      return [
        {
          path: path.services.join(' -> '),
          severity: multiplied ? 'warning' : 'info',
          message: multiplied
            ? `One call of ${path.services[0]} can reach ${last} ${path.arithmetic} times${path.attempts === path.product ? '' : `, ${group(path.attempts)} with ownership`}.`
            : `Each layer's attempts would multiply (${path.arithmetic}), but with ownership ${last} gets ${group(path.attempts)}.`,
          fix: multiplied
            ? "Let one layer retry: leave retry.owner at 'here' on every hop, turn retries of meshes off, and set retry to false where Spillway is not in use."
            : 'Nothing to mend.',
          arithmetic: path.arithmetic,
        },
      ];
    }),
);
