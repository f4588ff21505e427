import { formatDuration } from '../../config/durations.js';
import { type Rule, serviceRule } from '../rule.js';

export const inboundDefaultOverMax: Rule = serviceRule(
  {
    id: 'SW016',
    severity: 'error',
    title: 'An inbound default above its max',
    why: 'inbound.deadline.max bounds every deadline, the default too.',
  },
  ({ written, resolved }) => {
    const { defaultMs, maxMs } = resolved.inbound.deadline;
    if (defaultMs <= maxMs || written.inbound?.deadline?.default === undefined) return [];
    return [
      {
        path: 'inbound.deadline.default',
        message: `Requests without a deadline get ${formatDuration(defaultMs)}, but no request gets more than ${formatDuration(maxMs)}.`,
        fix: 'Lower inbound.deadline.default or raise inbound.deadline.max.',
        arithmetic: `${formatDuration(defaultMs)} > ${formatDuration(maxMs)}`,
      },
    ];
  },
);
