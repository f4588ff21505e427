import { type FoundInService, type Rule, serviceRule } from '../rule.js';

export const trustInEveryone: Rule = serviceRule(
  {
    id: 'SW604',
    severity: 'warning',
    title: 'Trust in everyone',
    why: 'A trusted peer may call itself critical, claim to be a retry, and lengthen its deadline. Given to everyone, that is given to attackers.',
  },
  ({ written }) => {
    const trust = written.inbound?.trust;
    if (trust === undefined || typeof trust === 'function') return [];
    return trust.flatMap((entry, i): FoundInService[] =>
      /\/0+$/.test(entry)
        ? [
            {
              path: `inbound.trust[${i}]`,
              message: `'${entry}' is every address there is.`,
              fix: 'List the networks that your own services and proxies call from.',
            },
          ]
        : [],
    );
  },
);
