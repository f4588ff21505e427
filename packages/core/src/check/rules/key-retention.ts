import { formatDuration, parseDuration } from '../../config/durations.js';
import { type FoundInService, type Rule, serviceRule } from '../rule.js';

export const keyRetention: Rule = serviceRule(
  {
    id: 'SW602',
    severity: 'warning',
    title: 'A key kept for less than the longest retry horizon',
    why: 'A retry that comes after its key has been forgotten is carried out a second time. Keys must outlive the last retry that anybody may send.',
  },
  ({ input, resolved }) =>
    (input.stores ?? []).flatMap(({ ttl, horizon }, i): FoundInService[] => {
      const kept = parseDuration(ttl);
      const needed = parseDuration(horizon) ?? resolved.inbound.deadline.maxMs;
      if (kept === undefined || kept >= needed) return [];
      return [
        {
          path: `stores[${i}].ttl`,
          message: `Keys are kept for ${formatDuration(kept)}, but a retry may come after ${formatDuration(needed)}.`,
          fix: `Keep keys for ${formatDuration(needed)} or longer; 24 hours is common.`,
          arithmetic: `${formatDuration(kept)} < ${formatDuration(needed)}`,
        },
      ];
    }),
);
