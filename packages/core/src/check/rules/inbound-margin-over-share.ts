import { DEFAULTS } from '../../config/defaults.js';
import { formatDuration, group } from '../../config/durations.js';
import { type Rule, serviceRule } from '../rule.js';

export const inboundMarginOverShare: Rule = serviceRule(
  {
    id: 'SW017',
    severity: 'error',
    title: 'A margin that is never kept in full',
    why: "The margin is at most 20 % of a request's budget. One above 20 % of the longest budget is cut for every request.",
  },
  ({ resolved }) => {
    const { marginMs, maxMs } = resolved.inbound.deadline;
    const { marginShare } = DEFAULTS.inbound;
    const most = marginShare * maxMs;
    if (marginMs <= most) return [];
    const arithmetic = `${group(marginShare * 100)} % x ${group(maxMs)} = ${group(most)} ms < ${group(marginMs)} ms`;
    return [
      {
        path: 'inbound.deadline.margin',
        message: `A margin of ${formatDuration(marginMs)} is never kept: no request's may be longer than ${formatDuration(most)} (${arithmetic}).`,
        fix: `Set inbound.deadline.margin to ${formatDuration(most)} or less, or raise inbound.deadline.max.`,
        arithmetic,
      },
    ];
  },
);
